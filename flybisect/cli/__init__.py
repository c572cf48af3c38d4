"""The typer commands, one file each. A command parses its options, calls one workflow and prints the result.

It may import `report`, `terminal`, `workflows`, `bisect`, `reduce`, `judge`, `session`, `oracle`,
`cluster`, `probe`, `toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `main`.
"""
