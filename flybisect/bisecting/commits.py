"""Bisecting commits: which one brought the bug in, or repaired it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from flybisect.bisecting.answer import CommitAnswer, Confirmation
from flybisect.bisecting.attribution import Attribution, End, Owner, attribute
from flybisect.bisecting.cheaply import bisect_cheaply
from flybisect.bisecting.line import Line
from flybisect.bisecting.looks import Looks, rule_of_ends
from flybisect.bisecting.observer import Observer
from flybisect.bisecting.parallel import each
from flybisect.bisecting.releases import wrong_way
from flybisect.bisecting.sides import Find, Measure, NotApart, shows
from flybisect.bisecting.supply import Supply
from flybisect.bisecting.tried import Tried
from flybisect.bisecting.ways import Way, Ways
from flybisect.errors import UserError
from flybisect.history.commit import Commit
from flybisect.history.landmarks import Landmark
from flybisect.inputs import Inputs
from flybisect.observation import Answer, Verdict
from flybisect.repeats import Notes
from flybisect.search.bisect import Ask, Found, Refused, Side, bisect
from flybisect.search.settle import bisect_settled
from flybisect.toolchain.model import Exactness, SourceBuilder, Toolchain, Unavailable
from flybisect.toolchain.store import Notify


class CommitSearch:
    """One search over the candidates of a line."""

    def __init__(
        self,
        line: Line,
        supply: Supply,
        observer: Observer,
        measure: Measure,
        notify: Notify,
        *,
        builder: SourceBuilder | None = None,
        allow_proxies: bool = False,
        allow_inexact: bool = False,
        cancel: Callable[[], None] = lambda: None,
        notes: Notes | None = None,
    ) -> None:
        """`allow_proxies`: builds with another LLVM than the pinned one, though never across a change of
        the pin. `allow_inexact`: also other natives under a commit's Python. `cancel` ends builds.
        `notes`: where it is kept how often each commit was run."""
        self._line = line
        self._supply = supply
        self._observer = observer
        self._measure = measure
        self._notify = notify
        self._allow_proxies = allow_proxies
        self._allow_inexact = allow_inexact
        self._cancel = cancel
        self._notes = notes
        self._ways = Ways(line.known, builder, proxies=allow_proxies and not self._pin_changes())
        self._tried: dict[int, Tried] = {}
        self._more: list[Tried] = []
        """Tests beside the last one of each candidate."""

    def run(self, find: Find | None, jobs: int) -> CommitAnswer:
        """Raises UserError where an end can't be had or judged, or the two do not tell."""
        looks = self._ends(find)
        rule = looks.rule
        notes = [*self._left_out_by_paths(), *self._check_older(looks)]
        attribution = attribute(self._end(0), self._end(-1), lambda end, mark: self._cross(end, mark, looks))
        if self._ways.builder is not None and self._allow_proxies and not self._ways.proxies:
            notes.append("LLVM's pin changes in this range, so builds with another LLVM were not used")
        if self._allow_inexact:
            self._ways = replace(self._ways, lenders=self._lenders(attribution))
        self._leave_out()
        found = self._search(looks, jobs)
        culprit = self._line.candidates[found.after].first
        if found.exact and culprit.merge:
            inside = f"{culprit.short}^1..{culprit.short}^2"
            notes.append(f"{culprit.short} is a merge; `flybisect commits {inside}` looks at what it merged")
        confirmation = self._confirm(looks, found)
        return CommitAnswer(
            line=self._line,
            rule=rule,
            found=found,
            tried=tuple(map(looks.updated, self._tried.values())),
            more=tuple(map(looks.updated, self._more)),
            attribution=attribution,
            confirmation=confirmation,
            made=dict(self._supply.made),
            notes=tuple(notes),
            logs=dict(self._supply.logs),
            steadiness=looks.steadiness,
        )

    def _left_out_by_paths(self) -> list[str]:
        if not self._line.range.paths:
            return []
        told = " ".join(self._line.range.paths)
        return [f"commits that touch none of {told} were left out, whatever else they change"]

    def _ends(self, find: Find | None) -> Looks:
        """With the ends looked at, and some more."""
        last = len(self._line.candidates) - 1
        ways = [self._end_way(at) for at in (0, last)]
        older, newer = (self._had(at, way) for at, way in zip((0, last), ways, strict=True))
        first = self._observer.ends(older, newer)
        try:
            rule, made = rule_of_ends(self._measure, self._observer, (older, newer), first)
        except NotApart as error:
            raise UserError(f"{self._name(0)}..{self._name(-1)}: {error}") from error
        if find is not None and rule.find is not find:
            raise UserError(wrong_way(find, self._name(0), self._name(-1)))
        looks = Looks(self._observer, rule, self._notify, self._notes)
        looks.begin(made)
        for at, way, toolchain in zip((0, last), ways, (older, newer), strict=True):
            self._note(at, looks, toolchain, way)
        return looks

    def _end_way(self, at: int) -> Way:
        """The best; one that is not exact only with the user's word."""
        commit, inputs = self._at(at)
        found = self._ways.all(inputs, commit.hash)
        if found:
            return found[0]
        if not self._allow_inexact:
            raise UserError(
                f"the end {self._name(at)} {self._ways.why_none(commit.hash)}; take an end that has a "
                "release, or allow inexact ways with --allow-inexact"
            )
        nearest = tuple(known.mark for known in self._line.known[:1])
        found = replace(self._ways, lenders=nearest).all(inputs, commit.hash)
        if not found:
            raise UserError(f"the end {self._name(at)} {self._ways.why_none(commit.hash)}")
        return found[0]

    def _had(self, at: int, way: Way) -> Toolchain:
        commit, inputs = self._at(at)
        try:
            return self._supply.get(commit.hash, inputs, way)
        except Unavailable as error:
            raise UserError(f"the end {self._name(at)} can't be had: {error}") from error

    def _check_older(self, looks: Looks) -> list[str]:
        """Where the older end lies on a branch of its own, it has to be as its merge base is."""
        older = self._line.range.older
        if self._line.range.base is None:
            return []
        base = f"the merge base {self._line.candidates[0].first.short}"
        inputs = self._supply.inputs(older.hash)
        exact = self._ways.exact(inputs, older.hash)
        if not exact:
            return [f"{older.short} is not an ancestor and can't be had; {base} stood for it"]
        try:
            toolchain = self._supply.get(older.hash, inputs, exact[0])
        except Unavailable as error:
            return [f"{older.short} is not an ancestor and can't be had ({error}); {base} stood for it"]
        side, verdict, evidence, tally = looks.judged(toolchain)
        beside = Tried(-1, older.hash, side, verdict, evidence.subject, toolchain, str(exact[0]), tally)
        self._more.append(beside)
        if side is self._tried[0].side:
            return [f"{older.short} is not an ancestor of the newer end; it and {base} are {side.value}"]
        if side is Side.SKIP:
            return [f"{older.short} is not an ancestor and can't be judged; {base} stood for it"]
        raise UserError(
            f"{older.short} is {side.value}, and {base} is {self._tried[0].side.value} already: the change "
            f"is between those two and not on the way to {self._line.range.newer.short}"
        )

    def _end(self, at: int) -> End:
        commit, inputs = self._at(at)
        marks = [known.mark for known in self._line.known if known.inputs.natives == inputs.natives]
        return End(commit.hash, inputs, self._tried[self._place(at)].side, marks[0] if marks else None)

    def _cross(self, end: End, mark: Landmark, looks: Looks) -> Tried:
        way = Way("overlay", Exactness.INEXACT, mark)
        try:
            toolchain = self._supply.get(end.commit, end.inputs, way)
        except Unavailable as error:
            return Tried(-1, end.commit, Side.SKIP, Verdict(Answer.UNRESOLVED, why=str(error)), way=str(way))
        self._notify(f"{end.commit[:8]}: {way}, to see which half owns the change")
        side, verdict, evidence, tally = looks.judged(toolchain)
        return Tried(-1, end.commit, side, verdict, evidence.subject, toolchain, str(way), tally)

    def _lenders(self, attribution: Attribution) -> tuple[Landmark, ...]:
        """Whose natives to put under commits that can't be had exactly."""
        if attribution.owner is Owner.UNKNOWN and not attribution.cells:
            return tuple(known.mark for known in self._line.known[:1])
        if not attribution.lenders:
            self._notify("other natives under a commit's Python would not show this change: none are used")
        return attribution.lenders

    def _leave_out(self) -> None:
        """Candidates that there is no way to are known without a test."""
        for at, candidate in enumerate(self._line.candidates):
            if at not in self._tried and not self._ways_to(at):
                verdict = Verdict(Answer.UNRESOLVED, why=self._ways.why_none(candidate.first.hash))
                self._tried[at] = Tried(at, self._line.commit(at).hash, Side.SKIP, verdict)

    def _search(self, looks: Looks, jobs: int) -> Found:
        count = len(self._line.candidates)

        def search(ask: Ask, known: Mapping[int, Side]) -> Found | Refused:
            if jobs == 1:
                return bisect_cheaply(count, ask, self._costs_a_build, known)
            return bisect(count, ask, known=known, jobs=jobs)

        found = bisect_settled(count, search, _Candidates(self, looks, jobs))
        looks.check_ends()
        if not isinstance(found, Found):
            raise UserError(f"{self._name(0)}..{self._name(-1)}: {found.why.value}")
        return found

    def ask(self, places: Sequence[int], looks: Looks, jobs: int) -> list[Side]:
        """What candidates are, tested where that is not known."""
        return each(lambda at: self._test(at, looks), places, jobs, self._cancel)

    def again(self, at: int, looks: Looks) -> None:
        """Test one some more by the way that was taken."""
        toolchain = self._tried[at].toolchain
        if toolchain is not None:
            looks.again(toolchain)
            self._tried[at] = looks.updated(self._tried[at])

    def known(self, looks: Looks) -> dict[int, Side]:
        """What needs no test."""
        sides = {
            at: tried.side if tried.toolchain is None else looks.side(tried.toolchain)
            for at, tried in self._tried.items()
        }
        return {at: side for at, side in sides.items() if side is not None}

    def _test(self, at: int, looks: Looks) -> Side:
        """By the best way; where that does not let it be judged, by the next one."""
        commit, inputs = self._at(at)
        tried = self._tried.get(at)
        if tried is not None and tried.side is not Side.SKIP and tried.toolchain is not None:
            looks.judged(tried.toolchain)
            self._tried[at] = looks.updated(tried)
            return self._tried[at].side
        for way in self._ways_to(at):
            try:
                toolchain = self._supply.get(commit.hash, inputs, way)
            except Unavailable as error:
                verdict = Verdict(Answer.UNRESOLVED, why=str(error))
                self._tried[at] = Tried(at, commit.hash, Side.SKIP, verdict, way=str(way))
                continue
            self._note(at, looks, toolchain, way)
            if self._tried[at].side is not Side.SKIP:
                break
        return self._tried[at].side

    def _note(self, at: int, looks: Looks, toolchain: Toolchain, way: Way) -> None:
        side, verdict, evidence, tally = looks.judged(toolchain)
        commit = self._line.commit(at)
        if at in self._tried and self._tried[at].observation is not None:
            self._more.append(self._tried[at])
        self._tried[at] = Tried(at, commit.hash, side, verdict, evidence.subject, toolchain, str(way), tally)
        told = shows(self._measure, evidence)
        self._notify(f"{commit.short} ({way}, {way.exactness.value}): {side.value}, it {told}")

    def _confirm(self, looks: Looks, found: Found) -> Confirmation:
        """A culprit that was found inexactly is tried once more, with its parent, by exact ways."""
        if not found.exact:
            return Confirmation(False, "the answer is a range")
        pair = found.before, found.after
        inexact = [at for at in pair if not self._is_exact(at)]
        if not inexact:
            return Confirmation(True, "it and its parent were tried by exact ways")
        for at in inexact:
            commit, inputs = self._at(at)
            exact = self._ways.exact(inputs, commit.hash)
            if not exact:
                why = f"{commit.short} {self._ways.why_none(commit.hash)}"
                return Confirmation(False, why + self._natives_apart(*pair))
            try:
                toolchain = self._supply.get(commit.hash, inputs, exact[0])
            except Unavailable as error:
                return Confirmation(False, f"{commit.short} can't be had exactly: {error}")
            expected = self._tried[at].side
            looks.again(toolchain)
            self._note(at, looks, toolchain, exact[0])
            if self._tried[at].side is not expected:
                told = f"{self._tried[at].side.value}, not {expected.value}"
                return Confirmation(False, f"{commit.short} is {told}, where it was had exactly")
        return Confirmation(True, "it and its parent were tried once more by exact ways")

    def _natives_apart(self, before: int, after: int) -> str:
        """A caution where a culprit and its parent were tested over natives of different releases, or one of
        them as a proxy, with another LLVM."""
        toolchains = [self._tried[at].toolchain for at in (before, after)]
        ways = [self._supply.made[each.key][0] for each in toolchains if each is not None]
        lent = {(way.release, way.exactness is Exactness.PROXY) for way in ways}
        return "; it and its parent were tested over different natives, which may be the change" * (
            len(lent) > 1
        )

    def _is_exact(self, at: int) -> bool:
        toolchain = self._tried[at].toolchain
        return toolchain is not None and toolchain.exactness is Exactness.EXACT

    def _ways_to(self, at: int) -> list[Way]:
        commit, inputs = self._at(at)
        return self._ways.all(inputs, commit.hash)

    def _costs_a_build(self, at: int) -> bool:
        commit, inputs = self._at(at)
        return self._ways.build_needed(inputs, commit.hash)

    def _pin_changes(self) -> bool:
        """With one LLVM for all, what another LLVM changes would be blamed on some commit near by."""
        pins = {candidate.inputs.llvm_pin for candidate in self._line.candidates}
        return len(pins) > 1

    def _at(self, at: int) -> tuple[Commit, Inputs]:
        place = self._place(at)
        return self._line.commit(place), self._line.candidates[place].inputs

    def _place(self, at: int) -> int:
        return at % len(self._line.candidates)

    def _name(self, at: int) -> str:
        place = self._place(at)
        short = self._line.commit(place).short
        return f"{short} (the merge base)" if place == 0 and self._line.range.base is not None else short


class _Candidates:
    """Those of a line, as a list that is settled."""

    def __init__(self, search: CommitSearch, looks: Looks, jobs: int) -> None:
        self._search = search
        self._looks = looks
        self._jobs = jobs

    def ask(self, places: Sequence[int]) -> Sequence[Side]:
        return self._search.ask(places, self._looks, self._jobs)

    def again(self, at: int) -> None:
        self._search.again(at, self._looks)

    def known(self) -> Mapping[int, Side]:
        return self._search.known(self._looks)
