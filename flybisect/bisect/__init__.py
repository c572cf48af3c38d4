"""Which release and which commit: entries, endpoints, build strategies, attribution, the answer.

It may import `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`, `toolchain`, `git`, `case`,
`source`, `search`, `observation` and `errors`.

Other rooms use `answer`, `around`, `bisector`, `commit_answer`, `commit_range`, `commit_search`,
`endpoints`, `matrix`, `observer`, `release_search`, `repeated_runs`, `test_record`, `toolchain_provider`.
"""
