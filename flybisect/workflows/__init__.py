"""What each command does, once: prepare a case, then check, reduce, compare, bisect or run all of it.

It may import `bisect`, `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`, `toolchain`, `git`,
`case`, `source`, `search`, `observation` and `errors`.

Other rooms use `api`, `check`, `commits`, `compare`, `curve`, `doctor`, `dump`, `environment`, `figures`,
`findings`, `flattened`, `heading`, `known_clone`, `matrix`, `output_path`, `prepare`, `progress`, `reduce`,
`reduction_result`, `releases`, `run`, `run_options`, `shown`.
"""
