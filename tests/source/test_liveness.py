"""What nothing reads, alone and after a cut."""

from __future__ import annotations

from hypothesis import given

from flybisect.source.check import unbound_names
from flybisect.source.cut import Cut, carry_out, close
from flybisect.source.edit import Edit
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import run


def first_lines(text: str, cut: Cut | None = None) -> list[str]:
    """The first lines of what is unread."""
    table = Statements(Source(text))
    found = [table.source.segment(table.all[number].node) for number in Liveness(table).unread(cut)]
    return [segment.split("\n")[0] for segment in found]


def without(text: str) -> str:
    """The text without what is unread."""
    table = Statements(Source(text))
    parts = frozenset(part for number in Liveness(table).unread() for part in table.subtree(number))
    return carry_out(table, Cut(parts))


def test_a_sum_that_nothing_reads() -> None:
    text = "a = 1\nt = 0\nt = t + a\nt += a\nfor i in range(a):\n    t = t + i\nprint(a)\n"
    assert first_lines(text) == ["t = 0", "t = t + a", "t += a", "t = t + i"]
    assert without(text) == "a = 1\nfor i in range(a):\n    pass\nprint(a)\n"


def test_a_sum_that_is_read_stays_whole() -> None:
    assert first_lines("t = 0\nt = t + 1\nt += 2\nprint(t)\n") == []


def test_functions_that_call_one_another() -> None:
    text = "x = 1\ndef f():\n    return g(x)\ndef g(n):\n    return f()\nprint(x)\n"
    assert first_lines(text) == ["def f():", "def g(n):"]


def test_what_only_a_function_reads_that_nothing_calls() -> None:
    text = "import a\nx = a.b\ndef f():\n    y = x\n    return y\n"
    assert first_lines(text) == ["import a", "x = a.b", "def f():"]


def test_what_a_function_inside_a_function_reads() -> None:
    inner = "    def g():\n        z = y\n        return x\n"
    text = f"def f(n):\n    x = n\n    y = n\n{inner}    return g\nprint(f)\n"
    assert first_lines(text) == ["y = n", "z = y"]


def test_a_long_chain() -> None:
    text = "a0 = 1\n" + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 3000))
    assert len(first_lines(text)) == 3000
    assert first_lines(text + "print(a2999)\n") == []


def test_stores_into_objects_have_an_effect() -> None:
    assert first_lines("x = []\nx[0] = 1\nx.n = 2\nx.n += 1\nx.m: int = 3\n") == []


def test_a_call_that_launches_has_an_effect() -> None:
    launching = "import f\n@f.jit\ndef run(n): f.k(n)\ndef conv(n): return run(n)\ny = conv(2)\n"
    assert first_lines(launching) == []
    plain = "def conv(n): return n\ny = conv(2)\n"
    assert first_lines(plain) == ["def conv(n): return n", "y = conv(2)"]


def test_names_that_an_edit_writes_are_read() -> None:
    text = "a = 1\nb = a\nprint(b)\n"
    start = text.index("b)")
    assert first_lines(text, Cut(edits=frozenset([Edit(start, start + 1, "3")]))) == ["a = 1", "b = a"]
    assert first_lines(text, Cut(edits=frozenset([Edit(start, start + 1, "a")]))) == ["b = a"]


def test_a_cut_takes_the_sum_along_that_it_was_the_reader_of() -> None:
    text = "t = 0\nfor i in range(3):\n    t = t + i\nprint(t)\nprint(1)\n"
    table = Statements(Source(text))
    cut = close(table, Cut(frozenset([3])))
    assert carry_out(table, Liveness(table).with_unread(cut)) == "for i in range(3):\n    pass\nprint(1)\n"


def ends(text: str) -> list[str]:
    table = Statements(Source(text))
    return [table.source.segment(table.all[number].node) for number in Liveness(table).ends]


def test_the_ends_of_what_is_unread() -> None:
    assert ends("a = 1\nb = a\nc = b\nd = a\nprint(1)\n") == ["c = b", "d = a"]
    assert ends("t = 0\nt = t + 1\nt += 2\nu = t\n") == ["u = t"]
    assert ends("t = 0\nt = t + 1\nt += 2\n") == ["t += 2"], "they read one another"
    assert ends("def f():\n    y = 1\n    z = y\n    return 2\n") == [
        "def f():\n    y = 1\n    z = y\n    return 2",
        "z = y",
    ]
    assert ends("a = 1\nprint(a)\n") == []


def test_what_an_unread_statement_reads_goes_where_that_no_longer_does() -> None:
    text = "a = 1\ndef f(n): return n\nb = f(a)\n"
    table = Statements(Source(text))
    start = text.index("f(a)")
    cut = Cut(edits=frozenset([Edit(start, start + 4, "a")]))
    assert carry_out(table, Liveness(table).with_unread(cut)) == "a = 1\nb = a\n"


@given(scripts())
@examples(40)
def test_with_the_ends_all_goes_that_is_unread(text: str) -> None:
    table = Statements(Source(text))
    liveness = Liveness(table)
    cut = liveness.with_unread(close(table, Cut(frozenset(liveness.ends))))
    assert set(liveness.unread()) <= cut.statements
    assert Liveness(table).with_unread(Cut()) == Cut()


@given(scripts())
@examples(40)
def test_without_it_a_script_still_runs(text: str) -> None:
    left = without(text)
    assert unbound_names(left) <= unbound_names(text)
    assert run(left).ended_well, left


def test_what_a_cut_function_body_reads_is_unread() -> None:
    text = "def g(): return 1\ndef f():\n    x = g()\n    return 2\nprint(f())\n"
    table = Statements(Source(text))
    cut = Liveness(table).with_unread(close(table, Cut(frozenset([3]))))
    assert carry_out(table, cut) == "def f():\n    return 2\nprint(f())\n"


def test_what_is_needed_stays_whatever_reads_it() -> None:
    text = "a = 1\nb = a\nc = b\nprint(c)\n"
    table = Statements(Source(text))
    cut = close(table, Cut(frozenset([3])))
    assert carry_out(table, Liveness(table).with_unread(cut)) == ""
    assert carry_out(table, Liveness(table, frozenset([1])).with_unread(cut)) == "a = 1\nb = a\n"
    assert Liveness(table, frozenset([1])).ends == ()
