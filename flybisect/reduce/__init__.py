"""The reducer: passes list hints, the engine combines them into candidates and searches.

It sees a judge, never an oracle or a process.

It may import `judge`, `session`, `oracle`, `cluster`, `probe`, `toolchain`, `git`, `case`, `source`,
`search`, `observation` and `errors`.

Other rooms use `hint`, `minimize`, `passes`, `reducer`, `reduction_state`, `select`.
"""
