"""A clone of FlyDSL, read only: ranges, keys of build inputs, landmarks, worktrees.

It may import `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `build_inputs`, `candidates`, `command`, `commit`, `imports`, `landmarks`, `objects`,
`range`, `remote`, `repository`, `worktree`.
"""
