"""Pure algorithms. No I/O, no FlyDSL, no git."""
