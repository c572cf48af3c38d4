"""Documents for people: Markdown, HTML, SVG pictures, bundles, exported tests.

It may import `terminal`, `workflows`, `bisect`, `reduce`, `judge`, `session`, `oracle`, `cluster`, `probe`,
`toolchain`, `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `bundle`, `gather`, `html`, `markdown`, `plots`, `redaction`, `regression`,
`verified_export`.
"""
