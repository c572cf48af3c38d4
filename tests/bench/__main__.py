"""Measures flybisect, and what others take for the same.

    python -m tests.bench NAME [--keep] …        `--help` lists the names

Not tests: figures depend on the machine. With `--keep` results go to `tests/bench/results` and into
`docs/benchmarks.md`; else they are printed, and lie in `workdirs/bench`. Every bench is a module here with
`SUMMARY`, `options(parser)` and `measure(args)`, which returns a `Report`.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from tests.bench.machine import machine
from tests.bench.report import write

BENCHES = (
    *("probe", "memory", "reductions", "large", "peers", "scaling", "jobs", "bisecting", "searching"),
    "survey",
    "mutants",
    "suite",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="measures flybisect")
    named = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    modules = {name: import_module(f"tests.bench.{name}") for name in BENCHES}
    for name, module in modules.items():
        each = named.add_parser(name, help=module.SUMMARY, description=module.__doc__)
        each.add_argument("--keep", action="store_true", help="write the results into the repository")
        module.options(each)
    args = parser.parse_args()
    before = machine()
    print(write(modules[args.name].measure(args), before, args.keep))


if __name__ == "__main__":
    main()
