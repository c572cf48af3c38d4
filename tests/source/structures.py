"""Random scripts whose values stand in lists that are filled, handed on, counted through and taken apart."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def structured(draw: st.DrawFn) -> str:
    """A script of integers that runs and prints what it computes, with what the passes of structure look for
    beside what they must not touch."""

    def number(low: int, high: int) -> int:
        return draw(st.integers(low, high))

    def pick(*options: str) -> str:
        return draw(st.sampled_from(options))

    length = number(1, 4)
    depth = "    " if draw(st.booleans()) else ""
    lines = ["import toy", "from toy import mix, range_constexpr, note"]
    values = [pick("1", "a", "mix(a, 2)", "a + 3", "toy.thread_idx.x") for _ in range(length)]
    ranges = pick("range", "range_constexpr", "toy.range_constexpr")
    body: list[str] = ["a = 5"]

    def container() -> list[str]:
        name = pick("x", "größe")
        display = pick(f"[{', '.join(values)}]", f"({', '.join(values)},)", f"[0] * {length}")
        found = [f"{name} = {display}"]
        for _ in range(number(0, 2)):
            at = number(0, length - 1)
            found.append(
                pick(f"note({name}[{at}])", f"{name}[{at}] = a + {at}") if display[0] != "(" else "note(a)"
            )
        reads = ", ".join(f"{name}[{number(-length, length - 1)}]" for _ in range(number(1, 3)))
        return [
            *found,
            pick(f"note({reads})", f"note({reads}, len({name}))", f"note([({reads}) for a in [1, 2]])"),
        ]

    def filled() -> list[str]:
        loop = f"for i in {ranges}({length}):"
        rest = pick("note(y)", "note(y[0])", "note(*y)", "note(y[-1], y)", "note(i, y)")
        ahead = pick("note(a)", "a = a + 1", "y.append(a)")
        return draw(
            st.sampled_from(
                [
                    ["y = []", ahead, loop, "    y.append(mix(a, i))", rest],
                    ["y = [0, a]", loop, "    y.append(i)", rest],
                    ["y = [a]", "y.append(a + 1)", ahead, rest.replace("i, ", "")],
                    [f"y = [None] * {length}", loop, f"    y[i] = {pick('i * a', 'i', 'mix(a, i)')}", rest],
                    [f"y = [[0] * 2 for _ in range({length})]", loop, "    for j in range(2):",
                     "        y[i][j] = i * 7 + j * a", "note(y)"],
                ]
            )
        )  # fmt: skip

    def counted() -> list[str]:
        step, start = number(-2, 3), number(-1, 4)
        inner = pick("note(k)", "note(k * 2, i)", f"k += {step}", "note([k for b in range(2)])")
        return [
            f"k = {start}",
            f"for i in {ranges}({length}):",
            f"    {inner}",
            *(
                [f"    for j in range({number(1, 3)}):", "        note(k - 1); k += 2"]
                if number(0, 1)
                else []
            ),
            f"    k {pick('+', '-')}= {abs(step)}",
            pick("note(k)", "k += 1", "note(k, a)"),
            "note(-k)",
        ]

    def comprehended() -> list[str]:
        element = pick("i * a", "mix(i, a)", "i", "(i, a)", "[i + j for j in range(2)]")
        iterable = pick(f"range({length})", f"range_constexpr({length})", "[a]", "(1, 2)")
        read = pick(f"z[{number(0, length - 1)}]", "z[0]", "z[0], z[-1]", "z")
        return [
            f"z = [{element} for i in {iterable}]",
            pick(f"note({read if iterable[0] == 'r' else 'z'})", "note(z)"),
        ]

    def repeated() -> list[str]:
        first, step = number(0, 4), number(-1, 3)
        rows = [f"note({first + at * step}, a)" for at in range(number(2, 5))]
        return [*rows, f"for i in {ranges}({number(1, 3)}):", f"    note({pick('i', 'i + 1', 'mix(i, i)')})"]

    for part in draw(
        st.lists(st.sampled_from([container, filled, counted, comprehended, repeated]), max_size=3)
    ):
        body += part()
    if depth:
        lines.append("def main():")
    return "\n".join([*lines, *(depth + line for line in body), *(["main()"] if depth else [])]) + "\n"
