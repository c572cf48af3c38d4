"""A run on disk: journal, recovery, resume, listing, disk use.

It may import `oracle`, `cluster`, `probe`, `toolchain`, `git`, `case`, `source`, `search`, `observation`
and `errors`.

Other rooms use `disk`, `known_boundaries`, `last_reduction`, `listing`, `parts`, `resume`, `session`.
"""
