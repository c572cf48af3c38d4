"""The case under study, its defaults and limits, and what a path on the command line stands for.

It may import `source`, `search`, `observation` and `errors`.

Other rooms use `atomic_file`, `case`, `command_paths`, `declared`, `flattened_script`, `limits`,
`pytest_target`, `readers`, `script_file`, `subject`, `variables`, `workdir`, `yaml_file`.
"""
