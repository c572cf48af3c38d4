"""The worker's half of a probe: standard library plus what the toolchain has, nothing of flybisect."""
