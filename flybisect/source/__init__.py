"""The Python text under study: statements, names, liveness, edits, cuts. Pure.

It imports nothing of ours.

Other rooms use `argv`, `check`, `cut`, `edit`, `effects`, `elements`, `expressions`, `flatten.flatten`,
`flatten.write`, `fresh`, `instrument`, `launches`, `layout`, `liveness`, `measure`, `namespaces`,
`pathloads`, `paths`, `polish`, `pytest.collected`, `pytest.file`, `pytest.script`, `reach`, `records`,
`register_limit`, `scopes`, `shortest`, `source`, `substitute`, `wrap`.
"""
