"""Files of people that are not what they seem: a sentence, soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.case import case
from flybisect.case.declared import CASE_FILE, keys
from flybisect.errors import UserError
from flybisect.oracle import yaml_oracle

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
VALUES = {
    "a bomb of aliases": LAUGHS + "args: *i",
    "an alias of itself": "args: &a [*a]",
    "an anchor and an alias": "arch: &a gfx942\nflydsl: *a",
    "deep nesting": "args: " + "[" * 100_000,
    "deep blocks": "args:\n" + "".join(" " * n + "- \n" for n in range(1, 300)),
    "keys in keys": "{" * 5000,
    "a giant number": "flydsl: " + "9" * 200_000,
    "a giant hexadecimal number": "flydsl: 0x" + "f" * 200_000,
    "a giant hexadecimal key": "0x" + "f" * 20_000 + ": 1",
    "a giant number in base 60": "timeout: 1" + ":1" * 50_000,
    "a giant fraction in base 60": "timeout: 1" + ":1" * 50_000 + ".5",
    "a giant argument": "args: [0x" + "f" * 20_000 + "]",
    "infinity": "timeout: .inf",
    "infinity as text": "flydsl: .inf",
    "an argument without end": "args: [1.0e+999]",
    "no number": "timeout: .nan",
    "no number at all": "memory: .nan",
    "a negative number": "timeout: -1",
    "a negative amount": "memory: -5",
    "a number that is a word": "timeout: 1e999",
    "a giant amount": "memory: 1" + "0" * 4000,
    "a key twice": "flydsl: 0.5.0\nflydsl: 0.3.0",
    "a tag of Python": "flydsl: !!python/object/apply:os.system [true]",
    "a tag of nobody": "flydsl: !mine 5",
    "bytes": "flydsl: !!binary aGk=",
    "a set": "args: !!set {a, b}",
    "a day that is none": "flydsl: 2001-99-99",
    "a list as a key": "? [a, b]\n: c",
    "a mapping as a key": "? {a: b}\n: c",
    "many keys": "".join(f"k{n}: {n}\n" for n in range(20_000)),
    "a long key": "k" * 100_000 + ": 1",
    "a list": "args: [[a]]",
    "a null byte": 'flydsl: "a\\0b"',
    "half a character": 'flydsl: "\\ud800"',
    "a bell": "flydsl: a\x07b",
    "two documents": "--- {}\n--- {}",
    "a merge of itself": "<<: &a {<<: *a}",
    "a large file": "# " + "x" * (1 << 20),
    "many brackets": "args: " + "[]," * 50_000,
    "an open quote": 'args: "' + "x" * 200_000,
}


@pytest.mark.parametrize("what", VALUES)
def test_a_sentence_in_a_second(what: str, tmp_path: Path) -> None:
    (tmp_path / "flybisect.yaml").write_text(VALUES[what])
    (tmp_path / "case.yaml").write_text("script: a.py\n" + VALUES[what])
    (tmp_path / "oracle.yaml").write_text("name: mine\nsummary: mine\npattern: boom\n" + VALUES[what])
    for read, name in (
        (case.load, "case.yaml"),
        (yaml_oracle.load, "oracle.yaml"),
        (lambda path: case.load_defaults(path.parent), "flybisect.yaml"),
    ):
        begun = time.process_time()
        with pytest.raises(UserError) as error:
            read(tmp_path / name)
        assert time.process_time() - begun < 3
        assert name in str(error.value)
        assert len(str(error.value)) < len(str(tmp_path)) + 700


@pytest.mark.parametrize(
    "more",
    [
        "clean: {op: [words]}",
        "clean: {op: 5}",
        "clean: [op]",
        "streams: [[stderr]]",
        "outcomes: {ok: 1}",
        "kind: [[a]]",
        "kind: 5",
        "pattern: [5]",
        "signature: '{op!r}'",
        "signature: '{op:>99999999999}'",
        "signature: '{'",
    ],
)
def test_a_wrong_oracle_is_a_sentence(more: str) -> None:
    base = {"name": "mine", "summary": "mine", "pattern": "(?P<op>boom)"}
    base.pop(more.split(":")[0], None)
    text = "".join(f"{key}: {value}\n" for key, value in base.items()) + more
    with pytest.raises(UserError, match="origin"):
        yaml_oracle.parse(text, "origin")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(keys(case.Case, CASE_FILE) + keys(case.Baseline, CASE_FILE)), JSON)
def test_any_value_of_a_key_is_taken_or_refused(key: str, value: object) -> None:
    import yaml

    text = yaml.safe_dump({"script": "a.py", key: value})
    try:
        found = case.parse(text, "origin", Path("/"))
    except UserError as error:
        assert "origin" in str(error)
    else:
        assert case.parse(found.to_yaml(), "again", Path("/")) == found
