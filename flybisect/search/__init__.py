"""Pure algorithms: delta debugging, bisection with untestable entries, reproduction rates. No I/O, no FlyDSL.

It imports nothing of ours.

Other rooms use `beliefs`, `bisect`, `flaky_bisection`, `group_testing`, `parallel_map`,
`reproduction_rate`.
"""
