"""Signatures: what identifies a failure, without what differs between runs and releases. Pure.

`classify` gives every failure one signature of one kind:

legalization  a conversion pass could not legalize an operation
verifier      an error about an operation (`'op' op …`), from its verifier or from a pass
diagnostic    any other error of the compiler, even if the process then ends with 0
assertion     a C++ assertion
fatal         LLVM's `report_fatal_error` and `llvm_unreachable`, fatal errors of nanobind and C++
crash         a signal
exception     a Python exception
exit          the script ended with an exit code
hang, memory  the trial exceeded a limit
api           this FlyDSL lacks the API that the script uses: nothing can be judged
setup         the machine lacks something that the compile needs: nothing can be judged
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator

from flybisect.observation import ExceptionFacts, Observation, Outcome, Signature
from flybisect.oracle.api import ABOUT_PLAIN_OBJECTS, missing_api
from flybisect.oracle.lacking import lacks_bitcode, missing_dependency
from flybisect.oracle.last_words import message_after
from flybisect.oracle.normalize import (
    asserted,
    basename,
    condition,
    function,
    headline,
    one_line,
    words,
)

KINDS = (
    "legalization",
    "verifier",
    "diagnostic",
    "assertion",
    "fatal",
    "crash",
    "exception",
    "exit",
    "hang",
    "memory",
    "api",
    "setup",
)

UNJUDGEABLE = frozenset({"api", "setup"})
"""Kinds of failure that say nothing about the bug."""

WORTH_REPORTING = frozenset(
    {"legalization", "verifier", "assertion", "fatal", "crash", "diagnostic", "hang", "memory"}
)
"""Kinds that are reported as "also seen". Candidates often raise exceptions of their own."""

LEGALIZATION = re.compile(r"failed to legalize operation '(?P<op>[\w.$-]+)'")
VERIFIER = re.compile(r"(?P<text>'(?P<op>[a-z_][\w$-]*\.[\w.$-]+)' op .+)")
FATAL = re.compile(r"^LLVM ERROR: (?P<text>.+)")
SELECT = re.compile(r"^Cannot select: (?:0x[0-9a-f]+|t\d+): [\w,x]+ = (?P<node>[\w:.]+)")
INTRINSIC = re.compile(r"llvm\.[\w.]+")
UNREACHABLE = re.compile(r"^(?P<text>.*)\n?UNREACHABLE executed at (?P<file>[^\s:]+):\d+!", re.MULTILINE)
LAST_WORDS = re.compile(
    r"^(?:terminate called after throwing an instance of '(?P<cxx>[^']+)'"
    r"|Critical nanobind error: (?P<nanobind>.+)"
    r"|(?P<glibc>free\(\): .+|double free or corruption.*|malloc.*: .+|munmap_chunk\(\): .+|corrupted .+))",
    re.MULTILINE,
)
PASS_AT_CRASH = re.compile(r"Running pass '(?P<name>[^']+)' on (?:function|module)")

_OUT_OF_MEMORY = re.compile(r"std::bad_alloc|LLVM ERROR: out of memory|^MemoryError", re.MULTILINE)
# What stands before a name is passed over once: a look-ahead is not tried again.
_MISSING = re.compile(
    r"^(?=(?P<before>.*?)libamdhip64)(?P=before)(?P<library>.*(?:cannot open|No such file|not found))"
    r"|cannot open shared object file|No module named 'torch'|No module named 'numpy'",
    re.MULTILINE,
)
_NO_LINKER = "lld invocation failed"
OUTSIDE = " (outside of tracing)"
_DURING = {"kernel": " (in a kernel)", "launcher": " (in a launcher)", "host": OUTSIDE}
_COMPILE_ERRORS = frozenset({"MLIRError", "FlyDSLCompileError", "DSLCompileError"})
"""Names of the exception class in the releases 0.1.5, 0.1.8 to 0.2.2, and from 0.2.3 on."""


def classify(observation: Observation) -> Signature | None:
    """The failure that an observation shows; None if everything compiled without an error."""
    for find in _BY_PRECEDENCE:
        found = find(observation)
        if found is not None:
            return found
    return None


def compiler_errors(observation: Observation) -> Iterator[str]:
    """Each error that the compiler reported, in order: diagnostics, then messages of compile errors."""
    for diagnostic in observation.diagnostics:
        if diagnostic.severity == "error":
            yield diagnostic.text
    for exception in observation.exceptions:
        if exception.type in _COMPILE_ERRORS:
            yield exception.message


def assertion(file: str, in_function: str, expression: str) -> Signature:
    """The signature of a C++ assertion. The message after `&&` changes between releases: it is detail."""
    where = f" in {function(in_function)} ({basename(file)})"
    return Signature("assertion", condition(expression) + where, detail=one_line(expression) + where)


def _limit(observation: Observation) -> Signature | None:
    if observation.outcome is Outcome.TIMEOUT:
        return Signature("hang", f"during {observation.stage.value}")
    ended = observation.exception
    if observation.outcome is Outcome.MEMORY or (ended is not None and ended.type == "MemoryError"):
        return Signature("memory", f"during {observation.stage.value}")
    if observation.outcome is Outcome.SIGNAL and _OUT_OF_MEMORY.search(observation.stderr):
        return Signature("memory", f"during {observation.stage.value}")
    return None


def _setup(observation: Observation) -> Signature | None:
    if observation.outcome is Outcome.BROKEN:
        return Signature("setup", headline(observation.note))
    if observation.outcome is Outcome.OK:
        return None
    missing = _MISSING.search(observation.stderr)
    if missing is not None:
        return Signature("setup", headline(missing["library"] or missing[0]))
    said = "\n".join((observation.stderr, *compiler_errors(observation)))
    if _NO_LINKER in said and "ld.lld: error" not in said:
        return Signature("setup", "no ld.lld")
    return None


def _last_lines(observation: Observation) -> Iterator[str]:
    """Lines that may be the last words of a process. A script that goes on after its compiles, and is not
    ended by a signal, printed them itself, unless they were printed within a compile (as one of a child)."""
    went_on = observation.kernels and observation.outcome is not Outcome.SIGNAL
    said = tuple(filter(None, (each.text.split("\n", 1)[0] for each in observation.diagnostics)))
    for line in observation.stderr.splitlines():
        if not went_on or line.endswith(said):
            yield line


def _assertion(observation: Observation) -> Signature | None:
    for line in _last_lines(observation):
        found = asserted(line) if "Assertion" in line else None
        if found:
            return assertion(found.file, found.function, found.condition)
    return None


def _fatal(observation: Observation) -> Signature | None:
    for line in _last_lines(observation):
        found = FATAL.match(line)
        if found:
            return Signature("fatal", _fatal_text(found["text"]), detail=one_line(found["text"]))
    if observation.outcome is not Outcome.SIGNAL:
        return None
    unreachable = UNREACHABLE.search(observation.stderr)
    if unreachable:
        text = f"unreachable: {words(unreachable['text'])} ({basename(unreachable['file'])})"
        return Signature("fatal", text)
    last = LAST_WORDS.search(observation.stderr)
    if last:
        return _last_words(last, observation.stderr[last.end() :])
    return None


def _last_words(last: re.Match[str], behind: str) -> Signature:
    """A fatal error with the message of its C++ exception, or of the Python exception that it carries."""
    text = last["cxx"] or last["nanobind"] or last["glibc"]
    message = message_after(behind) if last["glibc"] is None else ""
    if not message or message in text:
        return Signature("fatal", words(text), detail=one_line(text))
    return Signature("fatal", f"{words(text)}: {words(message)}", detail=one_line(f"{text}: {message}"))


def _fatal_text(text: str) -> str:
    """A selection failure prints the whole node with its numbers; only its kind is kept."""
    if not text.startswith("Cannot select: "):
        return words(text)
    intrinsic = INTRINSIC.search(text)
    if intrinsic is not None:
        return f"Cannot select: {intrinsic.group(0)}"
    selected = SELECT.match(text)
    return words(text) if selected is None else f"Cannot select: {selected['node']}"


def _crash(observation: Observation) -> Signature | None:
    if observation.outcome is not Outcome.SIGNAL:
        return None
    at = PASS_AT_CRASH.search(observation.stderr)
    where = f"in {at['name']}" if at else f"during {observation.stage.value}"
    return Signature("crash", f"{_signal_name(observation.signal)} {where}")


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _legalization(observation: Observation) -> Signature | None:
    for text in compiler_errors(observation):
        found = LEGALIZATION.search(text)
        if found:
            return Signature("legalization", found["op"])
    return None


def _verifier(observation: Observation) -> Signature | None:
    for text in compiler_errors(observation):
        found = VERIFIER.search(text)
        if found:
            return Signature("verifier", words(found["text"]), detail=one_line(found["text"]))
    # While IR is built, MLIR's Python bindings raise the verifier's error themselves.
    for exception in observation.exceptions:
        found = VERIFIER.search(exception.message)
        if found and exception.innermost == "flydsl":
            return Signature("verifier", words(found["text"]), detail=one_line(found["text"]))
    return None


def _lacking(observation: Observation) -> Signature | None:
    """What the machine lacks, even if the script catches the error and continues."""
    if lacks_bitcode((observation.stderr, *compiler_errors(observation))):
        return Signature("setup", "AMD's device library (bitcode) is not on this machine")
    found = (
        text
        for each in observation.exceptions
        if (text := missing_dependency(each, observation.missing)) is not None
    )
    text = next(found, None)
    return None if text is None else Signature("setup", words(text), detail=text)


def _asked_in_vain(observation: Observation) -> Signature | None:
    """If nothing was compiled, the likely reason is what the script did not find."""
    if not observation.missing or observation.kernels or observation.outcome is Outcome.SIGNAL:
        return None
    text = "; ".join(observation.missing)
    return Signature("setup", words(text), detail=one_line(text))


def _diagnostic(observation: Observation) -> Signature | None:
    if not observation.reached_flydsl:
        return None  # what the script itself printed
    for text in compiler_errors(observation):
        plain = _informative(text)
        if plain:
            return Signature("diagnostic", words(plain), detail=headline(plain))
    return None


def _informative(text: str) -> str:
    """The first line that says more than that the pipeline failed."""
    for line in text.splitlines():
        plain = headline(line)
        if plain and not plain.startswith(("Failure while executing pass pipeline", "DSL Traceback")):
            return plain
    return ""


def _api(observation: Observation) -> Signature | None:
    ended = observation.exception
    if ended is None or (
        observation.kernels and outside_of_compiling(ended) and ABOUT_PLAIN_OBJECTS.match(ended.message)
    ):
        return None
    return _api_of(ended)


def _api_of(ended: ExceptionFacts) -> Signature | None:
    missing = missing_api(ended)
    return None if missing is None else Signature("api", missing)


def _raised_in_compile(observation: Observation) -> Signature | None:
    """Includes what the script caught: a harness reports a failure and continues with the next shape."""
    ended = observation.exception
    if ended is not None and not outside_of_compiling(ended):
        return exception_signature(ended)
    for caught in observation.exceptions:
        if caught.caught and caught.type not in _COMPILE_ERRORS:
            return _api_of(caught) or exception_signature(caught)
    return None


def _exception(observation: Observation) -> Signature | None:
    ended = observation.exception
    return None if ended is None else exception_signature(ended)


def outside_of_compiling(exception: ExceptionFacts) -> bool:
    """True if the script's own code raised it, or a library other than FlyDSL that it called."""
    return exception.during == "host" and exception.innermost != "flydsl"


def exception_signature(exception: ExceptionFacts) -> Signature:
    """The signature of a Python exception: its class, the fixed words of its message and the phase.

    The same message in the launcher around a kernel and in the kernel are two failures.
    """
    text, where = words(exception.message), _DURING.get(exception.during, "")
    return Signature(
        "exception",
        (f"{exception.type}: {text}" if text else exception.type) + where,
        detail=f"{exception.type}: {headline(exception.message)}".removesuffix(": ") + where,
    )


def _exit(observation: Observation) -> Signature | None:
    if observation.outcome is not Outcome.EXIT:
        return None
    text = f"exit code {observation.exit_code}"
    printed = [line for line in observation.stderr.splitlines() if line.strip()]
    return Signature("exit", text, detail=f"{text}: {headline(printed[-1])}" if printed else "")


_BY_PRECEDENCE: tuple[Callable[[Observation], Signature | None], ...] = (
    _limit,
    _setup,
    _assertion,
    _fatal,
    _crash,
    _api,
    _legalization,
    _verifier,
    _lacking,
    _diagnostic,
    _raised_in_compile,
    _asked_in_vain,
    _exception,
    _exit,
)
