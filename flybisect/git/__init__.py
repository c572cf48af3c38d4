"""A clone of FlyDSL, read only: ranges, keys of build inputs, landmarks, worktrees.

It may import `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `build_inputs`, `candidates`, `clone`, `command`, `commit`, `imports`, `inputs_at`,
`landmarks`, `objects`, `range`, `repository`, `worktree`.
"""
