"""Results and progress on a console: tables, live lines, and the object of `--json`.

It may import `workflows`, `bisect`, `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`,
`toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `check`, `clean_text`, `commits`, `compare`, `doctor`, `json_output`, `live`, `matrix`,
`progress`, `reduce`, `releases`, `resume`, `run`, `sessions`.
"""
