"""Pure algorithms: delta debugging, bisection with untestable entries, reproduction rates. No I/O, no FlyDSL.

It imports nothing of ours.

Other rooms use `bisect`, `delta_debugging`, `flaky_bisection`, `parallel_map`, `reproduction_rate`.
"""
