"""Running probes: the pool, the worker inside the toolchain's interpreter, what a trial leaves behind."""
