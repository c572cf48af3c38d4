"""From what the command line says to all that a search needs: case, script, toolchains, oracle, judge.

What can be wrong is looked for in the order of its price: the script and the case, then the oracle and
its condition, then the arch, and only then the toolchains, whose installation may take minutes.
"""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from flybisect.case.case import Case, split_args
from flybisect.case.defaults import load_defaults
from flybisect.case.flattened_script import FlattenedScript
from flybisect.case.pytest_target import Collect, only_tests
from flybisect.case.request import CaseRequest, anchored_folder, settled
from flybisect.case.subject import subject_of
from flybisect.case.workdir import SESSIONS, default_workdir
from flybisect.errors import UserError
from flybisect.judge.judge import Judge, Memory, Setting
from flybisect.judge.requirement import Requirement
from flybisect.oracle import registry as plugins
from flybisect.oracle.plugin import Options, Oracle, Plugin
from flybisect.oracle.same_as import counting_as_same
from flybisect.source.pytest.collected import CollectedTest
from flybisect.toolchain import arch
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify
from flybisect.toolchain.toolchains import Toolchains, unwritable
from flybisect.workflows.collect_tests import Collector
from flybisect.workflows.workers import probing

MOST_JOBS = 4
"""Without `--jobs`: a search goes one way, so more would mostly work on what is not needed."""


@dataclass(frozen=True)
class PreparedReduction:
    """A case with nothing left open."""

    case: Case
    script: FlattenedScript
    oracle: Oracle
    subject: Setting
    base: Setting | None
    workdir: Path
    jobs: int
    scheduler: str | None = None
    """Of the Dask cluster that trials run on; None: this machine."""

    @property
    def source(self) -> str:
        """As it was written, with the way to the modules that it imports."""
        return self.script.source

    @property
    def toolchain_keys(self) -> tuple[str, ...]:
        """Of all that trials run under; observations of other toolchains are of no use here."""
        settings = (self.subject, self.base) if self.base is not None else (self.subject,)
        return tuple(setting.toolchain.key for setting in settings)

    @property
    def base_name(self) -> str:
        """What the case compares with, as `--recast` or `FlyDSL 0.3.1`; empty where it does not."""
        against = self.case.against
        if against is None or self.base is None:
            return ""
        parts = []
        if against.argv is not None:
            parts.append(shlex.join(against.argv) or "no arguments")
        if against.flydsl is not None:
            parts.append(f"FlyDSL {self.base.toolchain.version}")
        if against.arch is not None:
            parts.append(against.arch)
        return ", ".join(parts)

    @contextmanager
    def judge(self, journal: Memory) -> Iterator[Judge]:
        """A judge whose workers and folders are gone at the end."""
        with (
            probing(self.scheduler, self.jobs, journal, [self.workdir / SESSIONS]) as (prober, jobs),
            closing(Judge(self.case, self.oracle, self.subject, self.base, prober, journal, jobs)) as judge,
        ):
            yield judge


@dataclass(frozen=True)
class PreparedCase:
    """A case that is to be tried under many FlyDSLs."""

    case: Case
    source: str
    plugin: Plugin | None
    """The oracle's; None where the case names none."""
    arch: str
    workdir: Path
    jobs: int
    toolchains: Toolchains
    base: Toolchain | None
    """Where the case is compared with one FlyDSL throughout."""
    scheduler: str | None = None
    """Of the Dask cluster that trials run on; None: this machine."""

    @property
    def options(self) -> Options:
        """For the plugin."""
        return options_of(self.case)


def prepare(request: CaseRequest, notify: Notify) -> PreparedReduction:
    """Everything that a search needs. Raises UserError for all that a user can get wrong before a trial.

    `notify` is told when something takes long, as the installation of a release.
    """
    found, script = _script(request, notify)
    defaults = load_defaults(found.script.parent)
    case = settled(found, request, defaults)
    oracle = _oracle(case)
    choice = arch.choose(request.arch, found.arch or defaults.arch, script.text)
    case = replace(case, arch=choice.name)
    workdir = workdir_for(request.workdir, found.script.parent)
    toolchains = Toolchains(workdir, notify)
    subject = Setting(toolchains.get(case.flydsl), case.argv, choice.name)
    base = _base(case, subject, toolchains)
    jobs = request.jobs or defaults.jobs or default_jobs(request.scheduler)
    return PreparedReduction(case, script, oracle, subject, base, workdir, jobs, request.scheduler)


def reopened(case: Case, text: str, workdir: Path, notify: Notify) -> PreparedReduction:
    """The bench of a case that a session holds, with the text of its script. Raises UserError where a
    toolchain or the oracle is not to be had any more."""
    oracle = _oracle(case)
    toolchains = Toolchains(workdir, notify)
    subject = Setting(toolchains.get(case.flydsl), case.argv, arch.checked(case.arch or ""))
    base = _base(case, subject, toolchains)
    return PreparedReduction(
        case, FlattenedScript(text, text), oracle, subject, base, workdir, default_jobs()
    )


def requirement(bench: PreparedReduction, spec: str, notify: Notify) -> Requirement:
    """That a candidate compiles on the FlyDSL of `spec` as well. Raises UserError where that is not to be
    had, or is the one under study."""
    toolchains = Toolchains(bench.workdir, notify)
    setting = replace(bench.subject, toolchain=toolchains.get(spec))
    if setting.toolchain.key == bench.subject.toolchain.key:
        raise UserError(
            f"FlyDSL {setting.toolchain.version} is the one under study, so the script can't be required to "
            "compile on it; name a FlyDSL without the bug with --valid-on"
        )
    against = bench.case.against
    if against is None:
        return Requirement(setting)
    base = replace(
        setting,
        argv=setting.argv if against.argv is None else against.argv,
        arch=setting.arch if against.arch is None else arch.checked(against.arch),
    )
    fixed = None if against.flydsl is None or bench.base is None else bench.base.toolchain
    return Requirement(setting, base if fixed is None else replace(base, toolchain=fixed))


def prepare_comparison(
    request: CaseRequest, args: Sequence[str], specs: Sequence[str], notify: Notify
) -> tuple[Case, str, list[Setting]]:
    """What `flybisect compare` runs: the case, the script's text, and each FlyDSL with each argument text.

    Without `args` the case's own are taken, and those that it is compared with. Raises UserError.
    """
    found, script = _script(request, notify)
    source = script.source
    defaults = load_defaults(found.script.parent)
    case = settled(found, request, defaults)
    choice = arch.choose(request.arch, found.arch or defaults.arch, source)
    toolchains = Toolchains(workdir_for(request.workdir, found.script.parent), notify)
    found_specs = [anchored_folder(spec) or case.flydsl for spec in specs] or [case.flydsl]
    argvs = [split_args(text, "--args") for text in args]
    if not argvs:
        argvs = [case.argv]
        if case.against is not None and case.against.argv is not None:
            argvs.append(case.against.argv)
    settings = [Setting(toolchains.get(spec), argv, choice.name) for spec in found_specs for argv in argvs]
    return replace(case, arch=choice.name), source, settings


def prepare_for_toolchains(
    request: CaseRequest, notify: Notify, *, extra_index_url: str | None = None
) -> PreparedCase:
    """All that is known of a case before a FlyDSL is chosen. Raises UserError as `prepare` does."""
    found, script = _script(request, notify)
    source = script.text
    defaults = load_defaults(found.script.parent)
    case = replace(settled(found, request, defaults), flydsl="installed", valid_on=())
    plugin = None if case.oracle is None else plugin_of(case, case.oracle)
    choice = arch.choose(request.arch, found.arch or defaults.arch, source)
    workdir = workdir_for(request.workdir, found.script.parent)
    toolchains = Toolchains(workdir, notify, extra_index_url)
    against = None if case.against is None else anchored_folder(case.against.flydsl)
    return PreparedCase(
        case=replace(case, arch=choice.name),
        source=source,
        plugin=plugin,
        arch=choice.name,
        workdir=workdir,
        jobs=request.jobs or 1,
        toolchains=toolchains,
        base=None if against is None else toolchains.get(against),
        scheduler=request.scheduler,
    )


def workdir_of(option: Path | None, start: Path) -> Path:
    """Absolute; not made yet. `start`: the folder whose `flybisect.yaml` may name one."""
    return default_workdir(start) if option is None else option.expanduser().absolute()


def workdir_for(option: Path | None, start: Path) -> Path:
    """The same, made where it is missing. Raises UserError where it cannot be."""
    workdir = workdir_of(option, start)
    try:
        workdir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(workdir, error) from error
    return workdir


def default_jobs(scheduler: str | None = None) -> int:
    """As many as there are cores to use, up to `MOST_JOBS`; a cluster is asked for its own."""
    if scheduler is not None:
        return MOST_JOBS
    return min(MOST_JOBS, len(os.sched_getaffinity(0)))


def _script(request: CaseRequest, notify: Notify) -> tuple[Case, FlattenedScript]:
    """The case as its file has it, and the script. Raises UserError where that only defines tests."""
    subject = subject_of(request.script, collecting(request, notify))
    case, script = subject.case, subject.script
    problem = None if script.test is not None else only_tests(case.script, script.text)
    if problem is not None:
        raise UserError(problem)
    return case, script


def collecting(request: CaseRequest, notify: Notify) -> Callable[[Case, str], Collect]:
    """What collects a test file in a trial, under the FlyDSL that the request names."""

    def made(found: Case, text: str) -> Collect:
        folder = found.script.parent
        defaults = load_defaults(folder)
        case = settled(found, request, defaults)

        def collect(file: Path, test: str) -> Sequence[CollectedTest] | None:
            target = arch.choose(request.arch, found.arch or defaults.arch, text).name
            toolchains = Toolchains(workdir_for(request.workdir, folder), notify)
            notify(f"collecting {file.name} with pytest, in a trial")
            return Collector(lambda: toolchains.get(case.flydsl), target, case.env)(file, test)

        return functools.cache(collect)

    return made


def _oracle(case: Case) -> Oracle:
    if case.oracle is None:
        names = ", ".join(plugin.name for plugin in plugins.listing().plugins)
        raise UserError(
            f"which oracle judges is not known: the command line and the case file name none; add --oracle, "
            f"one of {names}, or the path of a .py or .yaml"
        )
    return plugin_of(case, case.oracle).build(options_of(case))


def plugin_of(case: Case, oracle: str) -> Plugin:
    """Of an oracle's name or path, with the case's other texts of the same bug joined to it."""
    return counting_as_same(plugins.load(oracle), case.sought.same_as)


def options_of(case: Case) -> Options:
    """What the case says to its oracle."""
    sought = case.sought
    return Options(
        when=case.when,
        compares=case.against is not None,
        pattern=sought.pattern,
        absent=bool(sought.absent),
        stage=sought.stage,
        command=sought.command,
    )


def _base(case: Case, subject: Setting, toolchains: Toolchains) -> Setting | None:
    """Raises UserError where the case would be compared with itself."""
    against = case.against
    if against is None:
        return None
    flydsl = anchored_folder(against.flydsl)
    base = Setting(
        subject.toolchain if flydsl is None else toolchains.get(flydsl),
        subject.argv if against.argv is None else against.argv,
        subject.arch if against.arch is None else arch.checked(against.arch),
    )
    same_flydsl = base.toolchain.key == subject.toolchain.key
    if same_flydsl and (base.argv, base.arch) == (subject.argv, subject.arch):
        raise UserError(
            "the script would be compared with itself: what it is compared with has the same arguments, "
            "FlyDSL and arch"
        )
    return base
