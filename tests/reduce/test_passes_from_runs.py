"""Passes that go by what a run told of a script: the texts that their hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import DynamicFacts
from flybisect.reduce.passes import devices, direct, spread, values
from flybisect.source.instrument import ObservedTypes
from flybisect.source.launches import Argument, Launch, read
from tests.reduce.hints import texts, whole

HEAD = "import torch\nimport flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\n"
KERNEL = "@flyc.kernel\ndef kern(A: fx.Tensor):\n    fx.use(A, waves, SIZE)\n"
LAUNCHER = (
    "@flyc.jit\n"
    "def launch(A: fx.Tensor, n: fx.Int32, *, stream: fx.Stream = fx.Stream(None)):\n"
    "    kern(A).launch(grid=(n, 1, 1))\n"
)
BUILD = f"""\
def build(waves):
    limit = waves * 2

    {KERNEL.replace(chr(10), chr(10) + "    ").rstrip()}

    {LAUNCHER.replace(chr(10), chr(10) + "    ").rstrip()}

    return launch
"""
TENSOR = Argument("A", "torch.empty(8, 4, dtype=torch.float16)", False)
GIVEN = (TENSOR, Argument("n", "3", False))


def told(*arguments: Argument, **captured: str) -> DynamicFacts:
    return DynamicFacts(launches=(Launch("launch", 0, arguments, captured),))


def test_a_launcher_out_of_its_factory() -> None:
    text = f"""\
{HEAD}SIZE = 8


{BUILD}

TABLE = {{f"w{{w}}": lambda w=w: build(w) for w in (1, 2, 4)}}
args = (torch.zeros(8, 4), 3)
exe = TABLE["w4"]()
exe.compiled = flyc.compile(exe, *args)
"""
    assert whole(direct.PASS, text, told(*GIVEN, waves="4")) == [
        f"""\
{HEAD}SIZE = 8


{KERNEL.replace("waves", "4")}

{LAUNCHER}

launch(torch.empty(8, 4, dtype=torch.float16), 3)
"""
    ]


CALLED_BY_STARS = f"""\
{HEAD}waves = SIZE = 8


{KERNEL}

{LAUNCHER}

def helper(*args):
    launch(*args)


args = (torch.zeros(8, 4), 3)
helper(*args)
"""


def test_a_launcher_that_is_given_what_others_handed_on() -> None:
    found = whole(direct.PASS, CALLED_BY_STARS, told(*GIVEN))
    assert found == [
        f"{HEAD}waves = SIZE = 8\n\n\n{KERNEL}\n\n{LAUNCHER}\n\n"
        "launch(torch.empty(8, 4, dtype=torch.float16), 3)\n"
    ]


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ((TENSOR, Argument("stream", "flydsl.expr.Stream(None)", True)), "stream=fx.Stream(None))"),
        ((Argument("n", "2", False),), "launch(n=2)"),
    ],
)
def test_arguments_by_their_names(arguments: tuple[Argument, ...], call: str) -> None:
    (found,) = whole(direct.PASS, CALLED_BY_STARS, told(*arguments))
    assert call in found


def test_what_cannot_be_written_down_is_left() -> None:
    assert texts(direct.PASS, CALLED_BY_STARS, told(Argument("A", None, False))) == []
    no_torch = CALLED_BY_STARS.replace("import torch\n", "").replace("torch.zeros(8, 4)", "1")
    assert texts(direct.PASS, no_torch, told(*GIVEN)) == []


def test_a_launcher_that_is_called_plainly_is_left_to_others() -> None:
    plain = CALLED_BY_STARS.replace("launch(*args)", "launch(args[0], args[1])")
    assert texts(direct.PASS, plain, told(*GIVEN)) == []


def test_a_definition_in_a_branch_of_its_factory() -> None:
    text = CALLED_BY_STARS.replace(LAUNCHER, BUILD.replace("    return launch", "").strip() + "\n").replace(
        KERNEL, ""
    )
    inside = text.replace("    @flyc.jit", "    if limit:\n      @flyc.jit").replace(
        "    def launch", "      def launch"
    )
    inside = inside.replace("        kern(A).l", "          kern(A).l").replace(
        "launch(*args)", "build(4)(*args)"
    )
    (found,) = whole(direct.PASS, inside, told(*GIVEN, waves="4"))
    assert f"\n\n\n{LAUNCHER}" in found and KERNEL.replace("waves", "4") in found, found


def test_settings_stay_and_what_only_launches_goes() -> None:
    text = CALLED_BY_STARS.replace("args = (", 'import os\nos.environ["A"] = "1"\nargs = (')
    (found,) = whole(direct.PASS, text, told(*GIVEN))
    assert 'os.environ["A"] = "1"' in found and "helper" not in found


def test_launches_are_read_line_by_line() -> None:
    line = '~launch ["launch", 7, [["A", null, false]], {"n": "3", "m": null}]'
    assert read(f"before\n{line}\n~launch nonsense\n~launch [1]\n") == (
        Launch("launch", 7, (Argument("A", None, False),), {"n": "3"}),
    )


FAILS = "def k(a):\n    b = f(a)\n    return g(b, h(a).m(b), i(a))\n"


def facts_of(text: str, line: int, *finished: str) -> DynamicFacts:
    return DynamicFacts(
        failing_line=line, kinds=ObservedTypes({("k", each): "T" for each in finished}), learned=text
    )


def test_the_part_that_fails() -> None:
    facts = facts_of(FAILS, 3, "a", "b", "f(a)", "h(a)")
    whole_value = "g(b, h(a).m(b), i(a))"
    assert texts(values.PASS, FAILS, facts) == [
        FAILS.replace(f"return {whole_value}", each) for each in ("h(a).m(b)", whole_value)
    ]


def test_a_receiver_that_fails() -> None:
    facts = facts_of(FAILS, 3, "a", "b", "f(a)")
    assert texts(values.PASS, FAILS, facts)[0] == FAILS.replace("return g(b, h(a).m(b), i(a))", "h(a)")


def test_a_statement_whose_parts_all_gave_values_stays() -> None:
    facts = facts_of(FAILS, 2, "a", "b", "f(a)")
    assert texts(values.PASS, FAILS, facts) == []


def test_nothing_is_said_of_a_text_that_did_not_run() -> None:
    assert texts(values.PASS, FAILS, facts_of("", 3, "a", "b", "f(a)", "h(a)")) == []


def test_what_asks_for_a_gpu() -> None:
    text = (
        "import torch\nimport flydsl.expr as fx\nf(a.cuda(), a.to('cuda:1'), torch.cuda.current_stream())\n"
    )
    assert texts(devices.PASS, text) == [
        text.replace("a.cuda()", "a"),
        text.replace("a.to('cuda:1')", "a"),
        text.replace("torch.cuda.current_stream()", "fx.Stream(None)"),
        text.replace("'cuda:1'", '"cpu"'),
    ]
    assert texts(devices.PASS, "import torch\nf(torch.zeros(1, device='cuda'), 'cudart')\n") == []


def test_figures_of_a_gpu() -> None:
    figure = "torch.cuda.get_device_properties(0).multi_processor_count"
    text = f"import torch\nn = {figure}\n"
    facts = DynamicFacts(kinds=ObservedTypes({}, {("", figure): "304"}))
    assert texts(devices.PASS, text, facts) == ["import torch\nn = 304\n"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(*(1, (2)), a)\n", ["f(1, (2), a)\n"]),
        ("a = g()\nargs = (a, 1)\nf(*args)(*args)\n", ["a = g()\nf(a, 1)(a, 1)\n"]),
        ("args = [g(), 1]\nf(0, *args)\n", ["f(0, g(), 1)\n"]),
        ("args = (g(), 1)\nf(*args)(*args)\n", []),
        ("args = (a, 1)\nf(args)\n", []),
        ("args = (*a, 1)\nf(*args)\n", ["f(*a, 1)\n"]),
        ("a = 1\nargs = (a, 1)\na = 2\nf(*args)\n", []),
        ("def f(*args): g(*args)\n", []),
    ],
)
def test_arguments_handed_on_as_one(before: str, after: list[str]) -> None:
    assert texts(spread.PASS, before) == after
