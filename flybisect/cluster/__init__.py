"""The same trials on the workers of a Dask scheduler. Imported with `--scheduler` alone.

It may import `probe`, `toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `client`, `prober`.
"""
