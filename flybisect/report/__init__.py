"""Documents for people: Markdown, HTML, SVG pictures, bundles, exported tests.

It may import `terminal`, `workflows`, `bisect`, `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`,
`toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `html`, `plots`, `regression`, `session_report`, `verified_export`.
"""
