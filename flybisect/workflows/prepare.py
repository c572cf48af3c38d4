"""From what a user says to all that a workflow needs: case, script, oracle, toolchains, judge.

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

from flybisect.bisect.observer import StudiedCase
from flybisect.case.case import INSTALLED, Case, load_defaults, merge
from flybisect.case.flattened_script import FlattenedScript
from flybisect.case.pytest_target import Collect, only_tests
from flybisect.case.readers import split_args
from flybisect.case.subject import subject_of
from flybisect.case.workdir import SESSIONS, default_workdir
from flybisect.errors import UserError
from flybisect.judge.judge import Judge, Memory, Setting
from flybisect.judge.requirement import Requirement
from flybisect.oracle import registry as plugins
from flybisect.oracle.follow import following, with_all_figures
from flybisect.oracle.plugin import Options, Oracle, Plugin
from flybisect.oracle.same_as import counting_as_same
from flybisect.source.pytest.collected import CollectedTest
from flybisect.toolchain import arch
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify
from flybisect.toolchain.toolchains import Toolchains, unwritable
from flybisect.workflows.collect_tests import collect_tests
from flybisect.workflows.workers import probing

MOST_JOBS = 4
"""Without `--jobs`: a search goes one way, so more would mostly work on what is not needed."""


@dataclass(frozen=True)
class PreparedCase:
    """A case with nothing left open, and what trials of it need.

    It stands for its own FlyDSL (`subject`), and may be tried under any other one (`setting`).
    """

    case: Case
    script: FlattenedScript
    plugin: Plugin | None
    """The oracle's; None where the case names none."""
    toolchains: Toolchains
    workdir: Path
    jobs: int

    @property
    def source(self) -> str:
        """What trials compile."""
        return self.script.source

    @property
    def arch(self) -> str:
        return self.case.arch or ""

    @property
    def options(self) -> Options:
        """For the plugin."""
        return options_of(self.case)

    @property
    def oracle(self) -> Oracle:
        """Raises UserError where the case names none, or its condition is wrong."""
        return following(self.known_plugin.build(self.options), self.case.figure, self.options)

    @property
    def known_plugin(self) -> Plugin:
        """Raises UserError where the case names no oracle."""
        if self.plugin is None:
            names = ", ".join(plugin.name for plugin in plugins.listing().plugins)
            raise UserError(
                f"which oracle judges is not known: the command line and the case file name none; add "
                f"--oracle, one of {names}, or the path of a .py or .yaml"
            )
        return self.plugin

    @property
    def subject(self) -> Setting:
        """Under the case's own FlyDSL, which is installed where it has to be. Raises UserError."""
        return self.setting(self.toolchains.get(self.case.flydsl or INSTALLED))

    @property
    def base(self) -> Setting | None:
        """What `subject` is compared with. Raises UserError where that is the same."""
        subject = self.subject
        base = self.base_setting(subject.toolchain)
        if base is None:
            return None
        same_flydsl = base.toolchain.key == subject.toolchain.key
        if same_flydsl and (base.argv, base.arch) == (subject.argv, subject.arch):
            raise UserError(
                "the script would be compared with itself: what it is compared with has the same arguments, "
                "FlyDSL and arch"
            )
        return base

    def setting(self, toolchain: Toolchain) -> Setting:
        return Setting(toolchain, self.case.arguments, self.arch)

    def base_setting(self, toolchain: Toolchain) -> Setting | None:
        """What the case is compared with when `toolchain` is tried. Raises UserError."""
        baseline = self.case.baseline
        if baseline is None:
            return None
        return Setting(
            self.base_toolchain or toolchain,
            self.case.arguments if baseline.argv is None else baseline.argv,
            self.arch if baseline.arch is None else arch.checked(baseline.arch),
        )

    @property
    def base_toolchain(self) -> Toolchain | None:
        """Where the case is compared with one FlyDSL throughout. Raises UserError."""
        baseline = self.case.baseline
        return None if baseline is None or baseline.flydsl is None else self.toolchains.get(baseline.flydsl)

    @property
    def studied(self) -> StudiedCase:
        """For an observer of many FlyDSLs."""
        return StudiedCase(self.case, self.source, self.case.arguments, self.arch, self.base_toolchain)

    def requirement(self, spec: str) -> Requirement:
        """That a candidate compiles on the FlyDSL of `spec` as well. Raises UserError where that is not
        available, or is the one under study."""
        toolchain = self.toolchains.get(spec)
        if toolchain.key == self.subject.toolchain.key:
            raise UserError(
                f"FlyDSL {toolchain.version} is the one under study, so the script can't be required to "
                "compile on it; name a FlyDSL without the bug with --valid-on"
            )
        return Requirement(self.setting(toolchain), self.base_setting(toolchain))

    @property
    def toolchain_keys(self) -> tuple[str, ...]:
        """Of all that trials run under; observations of other toolchains are of no use here."""
        settings = (self.subject, self.base)
        return tuple(setting.toolchain.key for setting in settings if setting is not None)

    @property
    def base_name(self) -> str:
        """What the case compares with, as `--recast` or `FlyDSL 0.3.1`; empty where it does not."""
        baseline = self.case.baseline
        if baseline is None:
            return ""
        parts = []
        if baseline.argv is not None:
            parts.append(shlex.join(baseline.argv) or "no arguments")
        if self.base_toolchain is not None:
            parts.append(f"FlyDSL {self.base_toolchain.version}")
        if baseline.arch is not None:
            parts.append(baseline.arch)
        return ", ".join(parts)

    @contextmanager
    def judge(self, journal: Memory, *, measuring: bool = False) -> Iterator[Judge]:
        """A judge whose workers and folders are gone at the end. `measuring`: where the case compares
        figures, trials yield all that there are."""
        case, hidden = self.case, [self.workdir / SESSIONS]
        oracle = with_all_figures(self.oracle) if measuring and case.baseline is not None else self.oracle
        with (
            probing(case.scheduler, self.jobs, journal, hidden) as (prober, jobs),
            closing(Judge(case, oracle, self.subject, self.base, prober, journal, jobs)) as judge,
        ):
            yield judge


def prepare(options: Case, notify: Notify) -> PreparedCase:
    """Everything that a search under one FlyDSL needs.

    Raises UserError for all that a user can get wrong before a trial. `notify` gets a line when something
    takes long, as the installation of a release.
    """
    prepared = _prepared(options, notify, needs_oracle=True)
    _ = prepared.base  # and the FlyDSL under study before it
    return prepared


def prepare_for_toolchains(
    options: Case, notify: Notify, *, extra_index_url: str | None = None
) -> PreparedCase:
    """All that is known of a case before a FlyDSL is chosen. Raises UserError as `prepare` does."""
    found = _prepared(options, notify, extra_index_url=extra_index_url)
    # The FlyDSL that is tried brings its own modules, so the way to those beside the script is left out.
    prepared = replace(
        found,
        case=replace(found.case, flydsl=INSTALLED, valid_on=(), figure=None),
        script=FlattenedScript(found.script.text, found.script.text),
        jobs=options.jobs or 1,
    )
    _ = prepared.base_toolchain
    return prepared


def prepare_comparison(
    options: Case, args: Sequence[str], specs: Sequence[str], notify: Notify
) -> tuple[PreparedCase, list[Setting]]:
    """What `flybisect compare` runs: the case, and each FlyDSL with each argument text.

    Without `args` the case's own are taken, and those that it is compared with. Raises UserError.
    """
    prepared = _prepared(options, notify, plugin=False)
    case = prepared.case
    argvs = [split_args(text, "--args") for text in args]
    if not argvs:
        argvs = [case.arguments]
        if case.baseline is not None and case.baseline.argv is not None:
            argvs.append(case.baseline.argv)
    toolchains = [prepared.toolchains.get(spec) for spec in specs or [case.flydsl or INSTALLED]]
    return prepared, [Setting(each, argv, prepared.arch) for each in toolchains for argv in argvs]


def reopened(case: Case, text: str, workdir: Path, notify: Notify) -> PreparedCase:
    """Of a case that a session holds, with the text of its script. Raises UserError where a toolchain or the
    oracle is not available any more."""
    case = replace(case, arch=arch.checked(case.arch or ""))
    plugin = None if case.oracle is None else plugin_of(case, case.oracle)
    script = FlattenedScript(text, text)
    prepared = PreparedCase(case, script, plugin, Toolchains(workdir, notify), workdir, default_jobs())
    _ = prepared.oracle, prepared.base
    return prepared


def _prepared(
    options: Case,
    notify: Notify,
    *,
    extra_index_url: str | None = None,
    plugin: bool = True,
    needs_oracle: bool = False,
) -> PreparedCase:
    """Nothing is installed for it yet. Raises UserError where the script only defines tests."""
    subject = subject_of(options.script, collecting(options, notify))
    script = subject.script
    problem = None if script.test is not None else only_tests(subject.case.script, script.text)
    if problem is not None:
        raise UserError(problem)
    case = merged(options, subject.case)
    found = None if case.oracle is None or not plugin else plugin_of(case, case.oracle)
    folder = case.script.parent
    workdir, jobs = workdir_of(case.workdir, folder), case.jobs or default_jobs(case.scheduler)
    toolchains = Toolchains(workdir, notify, extra_index_url)
    prepared = PreparedCase(case, script, found, toolchains, workdir, jobs)
    if needs_oracle:
        _ = prepared.oracle
    target = arch.choose(options.arch, case.arch, script.text).name
    workdir_for(case.workdir, folder)
    return replace(prepared, case=replace(case, arch=target))


def merged(options: Case, found: Case) -> Case:
    """Options go before the case file, which goes before `flybisect.yaml`."""
    defaults = load_defaults(found.script.parent)
    return merge(replace(options, script=found.script), found, defaults, Case(argv=(), flydsl=INSTALLED))


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


def collecting(options: Case, notify: Notify) -> Callable[[Case, str], Collect]:
    """What collects a test file in a trial, under the FlyDSL that the options name."""

    def made(found: Case, text: str) -> Collect:
        case = merged(options, found)

        def collect(file: Path, test: str) -> Sequence[CollectedTest] | None:
            target = arch.choose(options.arch, case.arch, text).name
            toolchains = Toolchains(workdir_for(case.workdir, found.script.parent), notify)
            notify(f"collecting {file.name} with pytest, in a trial")
            toolchain = toolchains.get(case.flydsl or INSTALLED)
            return collect_tests(file, test, Setting(toolchain, (), target), case.env)

        return functools.cache(collect)

    return made


def plugin_of(case: Case, oracle: str) -> Plugin:
    """Of an oracle's name or path, with the case's other texts of the same bug joined to it."""
    return counting_as_same(plugins.load(oracle), case.same_as)


def options_of(case: Case) -> Options:
    """What the case says to its oracle."""
    return Options(
        when=case.when,
        compares=case.baseline is not None,
        pattern=case.pattern,
        absent=bool(case.absent),
        stage=case.stage,
        command=case.command,
    )
