"""What each command does, once: prepare a case, then check, reduce, compare, bisect or run all of it.

It may import `bisect`, `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`, `toolchain`, `git`,
`case`, `source`, `search`, `observation` and `errors`.

Other rooms use `api`, `bisection`, `check`, `commits`, `compare`, `curve`, `dump`, `environment`,
`fallback`, `figures`, `findings`, `flattened`, `heading`, `known_clone`, `last_affected`, `neighbours`,
`output_path`, `prepare`, `reduce`, `run`, `run_options`, `script_heading`, `shown`.
"""
