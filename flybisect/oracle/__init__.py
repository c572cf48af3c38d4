"""The interestingness test: plugins, conditions over figures, signatures, patterns, YAML oracles.

Oracles judge observations. They start no process and read no file. A plugin imports the names below.

It may import `cluster`, `probe`, `toolchain`, `git`, `case`, `source`, `search`, `observation` and
`errors`.

Other rooms use `baseline`, `blame`, `command_exit`, `conditions`, `differences`, `failure_line`, `figure`,
`follow`, `hint`, `normalize`, `pattern`, `plugin`, `registry`, `same_as`, `signatures`, `yaml_oracle`.
"""

from flybisect.oracle.plugin import Evidence, Options, Oracle, Plugin

__all__ = ["Evidence", "Options", "Oracle", "Plugin"]
