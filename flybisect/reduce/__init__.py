"""The reducer: passes propose hints, the engine searches which of them the bug survives."""
