"""The Python text under study: statements, names, liveness, edits, cuts. Pure.

It imports nothing of ours.

Other rooms use `argv`, `check`, `consequences`, `cut`, `edit`, `effects`, `elements`, `expressions`,
`flatten.flatten`, `flatten.write`, `fresh`, `instrument`, `launches`, `layout`, `liveness`, `measure`,
`merge`, `namespaces`, `packs`, `pathloads`, `paths`, `polish`, `pytest.collected`, `pytest.errors`,
`pytest.file`, `pytest.script`, `reach`, `records`, `rounds`, `scopes`, `shortest`, `source`, `substitute`,
`wrap`.
"""
