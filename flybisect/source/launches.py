"""What launchers were called with, as a run of a script says it: texts that give the same arguments again.

The recorder runs inside of the script, before its own code. For each call of a launcher it writes one line
to stderr: the launcher's name and line, a text for each argument that one can be written for, and texts for
the variables that the launcher and its kernels captured. A text names modules in full.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

MARK = "~launch "
RECORDER = f"""
def _flybisect_launches(script):
    import sys
    jit = getattr(sys.modules.get("flydsl.compiler.jit_function"), "JitFunction", None)
    dsl, torch = sys.modules.get("flydsl.expr"), sys.modules.get("torch")
    if None in (script, jit, dsl, torch):
        return
    import inspect, json, math, os, types
    seen, depth = set(), []

    def text(value):
        kind = type(value)
        if value is None or kind in (bool, int) or kind is str and len(value) < 200:
            return repr(value)
        if kind is float:
            return repr(value) if math.isfinite(value) else None
        if kind is torch.dtype:
            return repr(value)
        if kind in (tuple, list):
            parts = [text(each) for each in value] if len(value) < 100 else [None]
            if None in parts:
                return None
            inside = ", ".join(parts) + ("," if kind is tuple and len(parts) == 1 else "")
            return f"({{inside}})" if kind is tuple else f"[{{inside}}]"
        if kind in (torch.Tensor, torch.nn.Parameter):
            dtype = "" if value.dtype is torch.float32 else f", dtype={{value.dtype!r}}"
            shape, stride = tuple(value.shape), value.stride()
            if value.is_contiguous():
                sizes = ", ".join(map(str, shape)) or "()"
                return f"torch.empty({{sizes}}{{dtype}})"
            return f"torch.empty_strided({{shape!r}}, {{tuple(stride)!r}}{{dtype}})"
        if isinstance(value, type) and getattr(dsl, value.__name__, None) is value:
            return f"flydsl.expr.{{value.__name__}}"
        if kind.__name__ in ("Stream", "ExternalStream") and hasattr(dsl, "Stream"):
            return "flydsl.expr.Stream(None)"
        if getattr(dsl, kind.__name__, None) is kind and type(getattr(value, "value", None)) in (int, float):
            inner = text(value.value)
            return None if inner is None else f"flydsl.expr.{{kind.__name__}}({{inner}})"
        return None

    def functions_of(value):
        found = [value] if isinstance(value, types.FunctionType) else []
        names = ("_original_func", "func", "_func") if "flydsl" in type(value).__module__ else ()
        found += [getattr(value, name, None) for name in names]
        return [each for each in found if isinstance(each, types.FunctionType)]

    def capture(value, captured, visited):
        for function in functions_of(value):
            if id(function) in visited or function.__code__.co_filename != script:
                continue
            visited.add(id(function))
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                try:
                    content = cell.cell_contents
                except ValueError:
                    continue
                if functions_of(content):
                    capture(content, captured, visited)
                elif not isinstance(content, torch.Tensor):
                    new = text(content)
                    captured[name] = new if captured.get(name, new) == new else None

    def note(launcher, arguments, named):
        function = functions_of(launcher)[0]
        signature = inspect.signature(function)
        given = []
        for name, value in signature.bind(*arguments, **named).arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                return
            default = parameter.default
            optional = default is not parameter.empty
            new = text(value)
            same = optional and (type(value) is type(default) and text(default) in (new, None))
            if not same and not (optional and new == "flydsl.expr.Stream(None)"):
                given.append([name, new, parameter.kind == parameter.KEYWORD_ONLY])
        captured = {{}}
        capture(launcher, captured, set())
        code = function.__code__
        facts = [code.co_name, code.co_firstlineno, given, captured]
        line = json.dumps(facts)
        if code.co_filename == script and line not in seen and len(line) < 10000 and len(seen) < 20:
            seen.add(line)
            os.write(2, f"\\n{MARK}{{line}}\\n".encode())

    def recorded(original, packed):
        def call(launcher, *arguments, **named):
            if not depth:
                try:
                    note(launcher, *(arguments[:2] if packed else (arguments, named)))
                except Exception:  # a foreign object may do anything when it is asked
                    pass
            depth.append(1)
            try:
                return original(launcher, *arguments, **named)
            finally:
                depth.pop()
        return call

    for name in ("__call__", "_compile_or_execute"):
        if name in vars(jit):
            setattr(jit, name, recorded(vars(jit)[name], name != "__call__"))

_flybisect_launches(globals().get("__file__"))
"""


@dataclass(frozen=True)
class Argument:
    """One that a launcher was given and that its defaults would not give."""

    name: str
    text: str | None
    """None where no text gives the value again."""
    keyword: bool
    """True where it cannot be given by its position."""


@dataclass(frozen=True)
class Launch:
    """A call of a launcher."""

    function: str
    line: int
    """Of the script that ran: its first decorator or its `def`."""
    arguments: tuple[Argument, ...]
    captured: Mapping[str, str] = field(default_factory=dict)
    """Texts for variables of functions around it that it or its kernels read."""


def read(stderr: str) -> tuple[Launch, ...]:
    """The launches that a run's stderr tells of, in the order in which they were made."""
    found = []
    for line in stderr.split("\n"):
        if not line.startswith(MARK):
            continue
        try:
            name, number, given, captured = json.loads(line.removeprefix(MARK))
            arguments = tuple(Argument(str(each[0]), each[1], bool(each[2])) for each in given)
            texts = {str(key): str(value) for key, value in captured.items() if value is not None}
            found.append(Launch(str(name), int(number), arguments, texts))
        except (ValueError, TypeError, AttributeError, IndexError):
            continue  # The script wrote it.
    return tuple(found)
