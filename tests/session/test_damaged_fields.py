"""A journal in which anything has a wrong type: what is whole is found, the rest is run again."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flybisect.judge.flaky import NOTE, Flakiness
from flybisect.observation import Answer, Kernel, Observation, Probe, Verdict
from flybisect.oracle.hint import why_uninteresting
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.signatures import classify
from flybisect.probe.remembering import CompileCache
from flybisect.session.journal import Journal
from flybisect.toolchain.model import Toolchain
from tests.oracle.recorded import recorded

ONE = Toolchain("0.5.0", "release", "key-1", "0.5.0", Path("python"))
PROBE = Probe("x = 1\n", "kernel.py", "gfx942", timeout=10.0, memory=1000)
WHOLE = replace(PROBE, source="x = 2\n")
SEEN = recorded("gemm_buffer64@0.5.0")

VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1 << 70,
    10**400,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "9" * 5000,
)
VALUES += ([], [[]], [None], {}, {"a": None}, {"name": 5}, [{"type": []}], "signal")
RAW: tuple[object, ...] = (None, 7, -1, 1 << 62, 1.5, "text", b"", b"\xff\x00", zlib.compress(b"[" * 100_000))
RAW += (
    zlib.compress(b"null"),
    zlib.compress(b"5"),
    zlib.compress(b'{"end": 5}'),
    zlib.compress(b'{"format": 2}'),
)
TABLES = {
    "observations": ("toolchain", "probe", "timeout", "memory", "observation"),
    "compiles": ("number", "toolchain", "traced", "entry"),
    "notes": ("name", "text"),
}


def written(folder: Path) -> Path:
    path = folder / "j.sqlite3"
    with closing(Journal(path)) as journal:
        journal.record(ONE, PROBE, SEEN)
        journal.record(ONE, WHOLE, SEEN)
        journal.note(NOTE, "20/20")
        journal.keep(ONE.key, ("traced", zlib.compress(b'{"end": "unsteady"}')))
    return path


def is_usable(path: Path) -> Journal:
    """Every way of reading it, and of writing to it."""
    with closing(Journal(path)) as journal:
        seen = journal.recall(ONE, PROBE)
        if seen is not None:
            use(seen)
        assert journal.recall(ONE, WHOLE) in (SEEN, None)
        CompileCache(journal).news(ONE.key, 0)
        repeats = Flakiness()
        repeats.notes = journal
        verdict = Verdict(Answer.INTERESTING, classify(SEEN))
        repeats.begin(verdict, 1.0, lambda times: [verdict] * times)
        assert isinstance(journal.noted(NOTE), str)
        journal.record(ONE, PROBE, SEEN)
        journal.keep(ONE.key, ("other", zlib.compress(b'{"end": "unsteady"}')))
        assert journal.recall(ONE, PROBE) == SEEN
        assert len(journal) >= 1
    return journal


def use(seen: Observation) -> None:
    assert isinstance(seen.to_json() + str(classify(seen)) + str(seen.metrics()), str)
    assert seen.only_replayed in (True, False)
    why_uninteresting("a.py", "spills", Verdict(Answer.UNINTERESTING), Evidence(seen), ())


@pytest.mark.parametrize("column", [(table, name) for table in TABLES for name in TABLES[table]])
def test_a_column_of_any_type(column: tuple[str, str], tmp_path: Path) -> None:
    table, name = column
    for at, value in enumerate(RAW):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = written(folder)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            try:
                db.execute(
                    f"UPDATE {table} SET {name} = ? WHERE rowid = 1"
                    if table == "compiles"
                    else f"UPDATE OR REPLACE {table} SET {name} = ?",
                    (value,),
                )
            except sqlite3.Error:  # SQLite itself does not take it
                continue
        is_usable(path)


def damaged(data: Any) -> Iterator[Any]:
    """It with one value, wherever it stands, replaced."""
    if isinstance(data, dict):
        for name in data:
            for value in (*VALUES, *damaged(data[name])):
                yield {**data, name: value}
            yield {other: each for other, each in data.items() if other != name}
        yield {**data, "more": 1}
    elif isinstance(data, list) and data:
        for value in (*VALUES, *damaged(data[0])):
            yield [value, *data[1:]]


def test_a_field_of_any_type() -> None:
    """An observation is read as one, or is none; what is read can be used."""
    kernel = Kernel("copy", vgprs=7, instructions={"s_endpgm": 1})
    small = replace(SEEN, kernels=(kernel,), stderr="said", traced=("a",), lines=(1, 2))
    count = 0
    for data in damaged(json.loads(small.to_json())):
        count += 1
        try:
            seen = Observation.from_json(json.dumps(data))
        except ValueError:
            continue
        use(seen)
    assert count > 500


def other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TABLE observations")
        db.execute("CREATE TABLE observations (toolchain, probe)")


def a_view(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TABLE notes")
        db.execute("CREATE VIEW notes AS SELECT 'a' AS name, 'b' AS text")


def a_trigger(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TRIGGER t BEFORE INSERT ON notes BEGIN SELECT RAISE(ABORT, 'no'); END")


def a_column_more(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("ALTER TABLE observations ADD COLUMN more")


def another_version(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA user_version = 7")


def no_table(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TABLE compiles")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def a_text(path: Path) -> None:
    path.write_text("this is no database, but a text\n" * 100)


def zeroes(path: Path) -> None:
    path.write_bytes(b"\0" * 8192)


@pytest.mark.parametrize(
    "damage", [other_tables, a_view, a_trigger, a_column_more, another_version, no_table, cut, a_text, zeroes]
)
def test_another_file(damage: Callable[[Path], None], tmp_path: Path) -> None:
    path = written(tmp_path)
    damage(path)
    journal = is_usable(path)
    assert len(journal.warnings) == 1
    assert "moved to j.sqlite3.damaged-1" in journal.warnings[0]


@pytest.mark.parametrize("damage", [a_view, a_trigger, a_column_more, another_version, no_table])
def test_what_is_whole_in_another_file_is_found(damage: Callable[[Path], None], tmp_path: Path) -> None:
    path = written(tmp_path)
    damage(path)
    with closing(Journal(path)) as journal:
        assert journal.recall(ONE, WHOLE) == SEEN
