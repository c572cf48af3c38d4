"""Running trials: worker processes, confinement, code-object metadata. Nothing else starts a trial.

`inside/` runs in the worker, under any FlyDSL's Python. It imports nothing of flybisect.

It may import `toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `confinement`, `files_read`, `inside.pipeline`, `inside.settings`, `inside.stages`,
`ir_stages`, `outside`, `patterns`, `prober`, `process`, `remembering`, `runner`, `smoke`.
"""
