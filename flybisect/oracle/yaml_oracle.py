"""Oracles that match a text, described in YAML.

name: legalization
summary: a conversion pass could not legalize an operation
pattern: "failed to legalize operation '(?P<op>[\\w.$-]+)'"
signature: "{op}"
streams: [diagnostics]

pattern    a Python regular expression, or a list of them of which the first match counts; it is
           searched line by line
streams    what is searched: `diagnostics` (errors of the compiler), `exceptions` (`Class: message`) and
           `stderr`. Default: all
outcomes   the outcomes in which a match counts (`ok, exception, exit, signal, timeout, out of memory`).
           Default: all
signature  a template over the pattern's named groups, which identifies the bug. Default: the fixed
           words of the line
clean      how each group is normalised: `words`, `plain`, `basename`, `function` or `condition` (see
           `flybisect.oracle.normalize`). Default: `words`
kind       the kind of the signature. Default: the name. Without `pattern`, a kind or a list of kinds as
           `flybisect.oracle.signatures.classify` returns them; a failure of one is interesting
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flybisect.case.yaml_file import (
    parse_mapping,
    read_mapping,
    shown,
    text_at,
)
from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Outcome, Signature, Verdict
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.normalize import (
    basename,
    condition,
    function,
    headline,
    one_line,
    words,
)
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
)
from flybisect.oracle.signatures import (
    KINDS,
    UNJUDGEABLE,
    classify,
    compiler_errors,
)
from flybisect.probe.patterns import (
    LONGEST_PATTERN,
    PatternMatch,
    Patterns,
    TooSlow,
)

KEYS = ("name", "summary", "pattern", "kind", "signature", "streams", "outcomes", "clean")
STREAMS = ("diagnostics", "exceptions", "stderr")
CLEANERS: Mapping[str, Callable[[str], str]] = {
    "words": words,
    "plain": one_line,
    "basename": basename,
    "function": function,
    "condition": condition,
}
_SHOWN: Mapping[str, Callable[[str], str]] = {**CLEANERS, "words": headline, "condition": one_line}
"""The same for display: with numbers, and with the message of an assertion."""

_OUT_OF_LIMITS = (Outcome.TIMEOUT, Outcome.MEMORY)


@dataclass(frozen=True)
class TextRule:
    """A checked description of the text to match."""

    name: str
    summary: str
    kinds: tuple[str, ...]
    """The first one is the kind of a signature made here."""
    patterns: Patterns | None
    """None: a failure of one of the kinds, by `classify`."""
    template: str | None
    streams: tuple[str, ...]
    outcomes: frozenset[Outcome]
    clean: Mapping[str, str]

    def signatures(self, observation: Observation) -> Iterator[Signature]:
        """The signature of each line that matches, in order. Raises TooSlow."""
        if observation.outcome not in self.outcomes:
            return
        if self.patterns is None:
            found = classify(observation)
            if found is not None and found.kind in self.kinds:
                yield found
            return
        yield from map(self._signature, self.patterns.found(_texts(observation, self.streams)))

    def _signature(self, match: PatternMatch) -> Signature:
        if self.template is None:
            return Signature(self.kinds[0], words(match.text), detail=headline(match.text))
        identity = {n: CLEANERS[self.clean.get(n, "words")](v) for n, v in match.groups.items()}
        shown = {n: _SHOWN[self.clean.get(n, "words")](v) for n, v in match.groups.items()}
        text, detail = self.template.format(**identity), self.template.format(**shown)
        return Signature(self.kinds[0], text, detail=detail)


@dataclass(frozen=True)
class TextOracle(Oracle):
    """Interesting: the text occurs, and does not occur under the baseline (if there is one)."""

    name: str
    text: TextRule

    def needs_baseline(self, subject: Observation) -> bool:
        try:
            return next(self.text.signatures(subject), None) is not None
        except TooSlow:
            return False

    def judge(self, evidence: Evidence) -> Verdict:
        try:
            return self._judged(evidence)
        except TooSlow as error:
            return Verdict(Answer.UNRESOLVED, None, dict(evidence.subject.metrics()), str(error))

    def _judged(self, evidence: Evidence) -> Verdict:
        subject = evidence.subject
        found = list(self.text.signatures(subject))
        metrics = dict(subject.metrics())
        if not found:
            return self._without(subject, metrics)
        signature = self._wanted(found, evidence.first)
        if evidence.baseline is not None:
            if signature in self.text.signatures(evidence.baseline):
                why = f"{signature}, and the same under the baseline"
                return Verdict(Answer.UNINTERESTING, signature, metrics, why)
            if (problem := baseline_problem(evidence)) is not None:
                return Verdict(Answer.UNRESOLVED, signature, metrics, problem)
        return Verdict(Answer.INTERESTING, signature, metrics, str(signature))

    def _without(self, subject: Observation, metrics: Mapping[str, float]) -> Verdict:
        seen = classify(subject)
        if subject.outcome in _OUT_OF_LIMITS or (seen is not None and seen.kind in UNJUDGEABLE):
            return Verdict(Answer.UNRESOLVED, seen, metrics, f"cannot be judged: {seen}")
        if seen is not None:
            why = f"another failure: {seen}"
        elif subject.kernels:
            why = "the script compiled without a failure"
        else:
            why = "the script compiled no kernel; run the function that launches it"
        return Verdict(Answer.UNINTERESTING, seen, metrics, why)

    def _wanted(self, found: list[Signature], first: Evidence | None) -> Signature:
        """Of several failures, the one that was pinned by the unreduced script."""
        pinned = None if first is None else next(self.text.signatures(first.subject), None)
        return pinned if pinned is not None and pinned in found else found[0]


def load(path: Path) -> Plugin:
    """The plugin in a YAML file. Raises UserError with the name of the file and what is wrong in it."""
    return _plugin(_checked(read_mapping(path, KEYS), str(path)))


def parse(text: str, origin: str) -> Plugin:
    """As `load`, for a text; `origin` names it in errors."""
    return _plugin(_checked(parse_mapping(text, origin, KEYS), origin))


def _plugin(text: TextRule) -> Plugin:
    def build(options: Options) -> TextOracle:
        return TextOracle(text.name, text)

    return Plugin(text.name, text.summary, build, takes=frozenset())


def _checked(data: dict[str, Any], origin: str) -> TextRule:
    name, summary = text_at(data, "name", origin), text_at(data, "summary", origin)
    if not name or not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise UserError(
            f"{origin}: name should consist of lower-case letters, digits, - and _, not {shown(name)}"
        )
    if not summary:
        raise UserError(f"{origin}: needs a summary (one line for the list of oracles)")
    patterns = _patterns(data.get("pattern"), origin)
    kinds = _kinds(data.get("kind"), origin)
    if patterns is None and not (kinds and set(kinds) <= set(KINDS)):
        raise UserError(f"{origin}: needs a pattern, or a kind among {', '.join(KINDS)}")
    groups = patterns.groups if patterns is not None else frozenset()
    return TextRule(
        name=name,
        summary=one_line(summary),
        kinds=kinds or (name,),
        patterns=patterns,
        template=_template(text_at(data, "signature", origin), groups, origin),
        streams=_choices(data.get("streams"), STREAMS, "streams", origin),
        outcomes=frozenset(
            Outcome(o) for o in _choices(data.get("outcomes"), [o.value for o in Outcome], "outcomes", origin)
        ),
        clean=_clean(data.get("clean"), groups, origin),
    )


def _patterns(value: object, origin: str) -> Patterns | None:
    texts = [] if value is None else value if isinstance(value, list) else [value]
    for text in texts:
        if not isinstance(text, str):
            raise UserError(f"{origin}: pattern should be a text of at most {LONGEST_PATTERN} characters")
    return compiled([str(text) for text in texts], origin) if texts else None


def compiled(texts: Sequence[str], origin: str) -> Patterns:
    """Raises UserError, which begins with `origin`, if one is no regular expression or matches everything."""
    try:
        return Patterns(texts)
    except UserError as error:
        raise UserError(f"{origin}: {error}") from error


def _kinds(value: object, origin: str) -> tuple[str, ...]:
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(kind, str) and kind for kind in listed):
        raise UserError(f"{origin}: kind should be a text or a list of texts, not {shown(value)}")
    return tuple(listed)


def _template(text: str | None, groups: frozenset[str], origin: str) -> str | None:
    if text is None:
        return None
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError as error:
        raise UserError(f"{origin}: the signature {text!r} cannot be parsed: {error}") from error
    for _, name, spec, conversion in fields:
        if name is not None and (name not in groups or spec or conversion):
            named = ", ".join(sorted(groups)) or "none"
            raise UserError(f"{origin}: signature uses {{{name}}}; the pattern's named groups are: {named}")
    return text


def _choices(value: object, known: Any, key: str, origin: str) -> tuple[str, ...]:
    if value is None:
        return tuple(known)
    if not isinstance(value, list) or not value or any(item not in known for item in value):
        raise UserError(
            f"{origin}: {key} should be a list of some of: {', '.join(known)}; not {shown(value)}"
        )
    return tuple(value)


def _clean(value: object, groups: frozenset[str], origin: str) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UserError(f"{origin}: clean should map a group to how it is normalised, not {shown(value)}")
    for group, how in value.items():
        if group not in groups:
            raise UserError(
                f"{origin}: clean names {shown(group)}, which is not a named group of the pattern"
            )
        if not isinstance(how, str) or how not in CLEANERS:
            raise UserError(
                f"{origin}: clean of {group} should be one of {', '.join(CLEANERS)}, not {shown(how)}"
            )
    return dict(value)


def _texts(observation: Observation, streams: tuple[str, ...]) -> Iterator[str]:
    if "diagnostics" in streams:
        yield from compiler_errors(observation)
    if "exceptions" in streams:
        yield from (f"{exception.type}: {exception.message}" for exception in observation.exceptions)
    if "stderr" in streams:
        yield observation.stderr
