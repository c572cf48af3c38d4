"""An oracle joined with probes: a candidate goes in, a verdict comes out. Verdict cache, flakiness, looking
ahead.

It may import `session`, `oracle`, `cluster`, `probe`, `toolchain`, `git`, `case`, `source`, `search`,
`observation` and `errors`.

Other rooms use `flaky`, `judge`, `question`, `requirement`, `statistics`, `trials`.
"""
