"""What the large seed's reduction costs: as `reductions`, and half an hour by itself."""

from __future__ import annotations

import argparse

from tests.bench.reductions import LARGE, reductions
from tests.bench.report import Report

SUMMARY = "the large seed, recast_iter"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=1)


def measure(args: argparse.Namespace) -> Report:
    return reductions("large", [LARGE], args.jobs)
