"""A commit of FlyDSL, built by its own `scripts/build.sh`."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.build_inputs import BUILD, PYTHON, Inputs
from flybisect.git.command import GitFailed
from flybisect.git.repository import Repository
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.build_tree import BuildTree, check_nanobind, check_programs
from flybisect.toolchain.buildenv import BuildOptions, python_tag
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.llvm import GivenLlvm, given_llvm, pinned_llvm
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.natives import COPIED, is_copy, take_out
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.store import Notify, built_once, silent
from flybisect.toolchain.submodules import stand_ins

TIMEOUT = 4 * 3600.0
"""Seconds for one build; a first one took 26 CPU minutes."""

Smoke = Callable[[Toolchain], str | None]
"""Compiles a kernel with a new build: None where that works, else one line that says what happened.

The toolchain it is given lies in a folder that is renamed afterwards: no worker may be kept for it.
"""


@dataclass(frozen=True)
class SourceBuilder:
    """Builds commits of the clone `repo` below `workdir`. It may be used by several threads.

    It is a `model.SourceBuilder`.
    """

    repo: Path
    workdir: Path
    mlir_path: Path | None = None
    """An install of LLVM and MLIR to build every commit with; None for the one that each commit pins."""
    jobs: int = 1
    """Compilers at once."""
    timeout: float = TIMEOUT
    notify: Notify = silent
    rocm: Rocm | None = None
    smoke: Smoke | None = None
    build_type: str = "Release"
    """`CMAKE_BUILD_TYPE`."""
    stop: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    """Set by another thread, ends all builds that are under way: they raise `processes.Stopped`."""
    _failed: dict[str, BuildFailed] = field(default_factory=dict, compare=False, repr=False)
    _plans: dict[str, _Plan] = field(default_factory=dict, compare=False, repr=False)

    def toolchain(self, commit: str) -> Toolchain:
        """The FlyDSL of `commit` (any name of it), built when no commit of the same inputs was.

        EXACT with the LLVM and the submodules that the commit pins, PROXY with others. Raises BuildFailed
        where this commit can't be built, UserError where nothing can.
        """
        with self._explaining(commit):
            plan = self._plan(commit)
            _check(plan)
            site = built_once(plan.site, lambda folder: self._fill(folder, plan), self.notify)
            return self._over(site, plan)

    def build(self, commit: str) -> Toolchain:
        """`toolchain`, by the name that a bisection calls it."""
        return self.toolchain(commit)

    def exactness(self, commit: str) -> Exactness:
        """What `toolchain(commit)` would be; builds nothing. Raises BuildFailed where it can't be tried."""
        with self._explaining(commit):
            plan = self._plan(commit)
            _check(plan)
            return plan.exactness

    def is_built(self, commit: str) -> bool:
        """Whether `toolchain(commit)` would build nothing."""
        with self._explaining(commit):
            return self._plan(commit).site.is_dir()

    def ready(self, commit: str) -> bool:
        """Whether no more than its Python half is missing."""
        with self._explaining(commit):
            plan = self._plan(commit)
            return plan.site.is_dir() or (plan.natives / COPIED).is_file()

    def log(self, commit: str) -> Path:
        """Where the output of its build goes."""
        with self._explaining(commit):
            return self._plan(commit).log

    @contextmanager
    def _explaining(self, commit: str) -> Iterator[None]:
        """What the disk or git refuse becomes a UserError."""
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            seen = f"{error.filename or self.workdir}: {error.strerror or error}"
            what = "the disk is full" if full else seen
            raise UserError(f"{commit} can't be built below {self.workdir}: {what}") from error
        except GitFailed as error:
            raise UserError(f"git failed on {self.repo}: {error}") from error

    def _plan(self, commit: str) -> _Plan:
        if commit not in self._plans:
            full = self._clone.commit(commit)
            inputs = self._clone.inputs(full)
            given = self._given
            replaced = stand_ins(self._clone, full)
            exactness = given.exactness(inputs) if given is not None else Exactness.EXACT
            keys = (f"{each.path} {each.key}" for each in replaced)
            plan = _Plan(
                self._clone,
                full,
                inputs,
                given,
                Exactness.PROXY if replaced else exactness,
                self.workdir.absolute(),
                combine(given.key if given is not None else inputs.llvm, self._options_key, *keys),
                self._options,
            )
            if full != commit:  # A branch may move on.
                return plan
            self._plans[commit] = plan
        return self._plans[commit]

    @cached_property
    def _clone(self) -> Repository:
        return Repository(self.repo)

    @cached_property
    def _given(self) -> GivenLlvm | None:
        return given_llvm(self.mlir_path) if self.mlir_path is not None else None

    @cached_property
    def _options(self) -> BuildOptions:
        return BuildOptions(self.build_type, self.jobs)

    @cached_property
    def _options_key(self) -> str:
        return self._options.key

    def _fill(self, folder: Path, plan: _Plan) -> None:
        """Makes the site of `plan` in the empty `folder`."""
        if plan.key in self._failed:
            raise self._failed[plan.key]
        try:
            natives = built_once(plan.natives, lambda made: self._build(made, plan), self.notify)
            if (natives / COPIED).is_file():
                _lay_over(plan, natives, folder)
            else:
                self._build(folder, plan)
        except BuildFailed as failure:
            self._failed[plan.key] = failure
            _note(plan.log, failure.reason)
            raise

    def _build(self, folder: Path, plan: _Plan) -> None:
        """A whole build of the commit, in the empty `folder`."""
        check_programs(plan.clone, plan.commit)
        mlir = self._mlir(plan)
        check_nanobind(mlir)
        pinned = plan.exactness is Exactness.EXACT
        workshop = BuildTree(
            plan.workshop, plan.clone, mlir, plan.options, self.timeout, self.notify, self.stop, pinned
        )
        self.notify(f"building {plan.commit[:12]} ({plan.log})")
        _note(plan.log, f"building {plan.commit} with {workshop.mlir}")
        with workshop.built(plan.commit, plan.log) as built:
            take_out(built.package, folder, built.build)
            if is_copy(folder / "flydsl", built.tree / PYTHON):
                (folder / COPIED).write_text(f"{plan.commit}\n", "utf-8")
        self._try(folder, plan)

    def _try(self, folder: Path, plan: _Plan) -> None:
        """A build may import well and die at its first constant, as with two copies of LLVM in it."""
        said = self.smoke(self._over(folder, plan)) if self.smoke is not None else None
        if said is not None:
            raise BuildFailed(f"the build compiles no kernel: {said}", plan.log)

    def _mlir(self, plan: _Plan) -> Path:
        if plan.given is not None:
            return plan.given.path
        if not plan.inputs.llvm_pin:
            raise BuildFailed(
                "the commit names no LLVM to build it with; give one with --mlir-path", plan.log
            )
        failed = self._failed.get(plan.inputs.llvm)
        if failed is not None:
            raise failed
        try:
            return pinned_llvm(
                plan.clone,
                plan.commit,
                plan.inputs,
                plan.workdir,
                plan.options,
                notify=self.notify,
                stop=self.stop,
            )
        except BuildFailed as failure:
            self._failed[plan.inputs.llvm] = failure
            raise

    def _over(self, site: Path, plan: _Plan) -> Toolchain:
        return toolchain_over(
            site,
            spec=plan.commit,
            kind="source",
            rocm=self.rocm,
            on_path=False,
            exactness=plan.exactness,
        )


@dataclass(frozen=True)
class _Plan:
    """Where everything of one commit goes. Folders carry the Python that natives are built for."""

    clone: Repository
    commit: str
    """Full hash."""
    inputs: Inputs
    given: GivenLlvm | None
    exactness: Exactness
    workdir: Path
    base: str
    """Key of the LLVM, of the options and of what stands in for submodules: builds that may share a CMake
    cache."""
    options: BuildOptions

    @property
    def key(self) -> str:
        return combine(self.base, self.inputs.native_build, self.inputs.python)

    @property
    def site(self) -> Path:
        return self.workdir / "toolchains" / f"source-{self.key}-{python_tag()}"

    @property
    def log(self) -> Path:
        return self.site.with_name(f"{self.site.name}.log")

    @property
    def natives(self) -> Path:
        """The first whole build with this native half; Python of other commits is laid over its `_mlir`."""
        key = combine(self.base, self.inputs.native_build)
        return self.workdir / "toolchains" / f"natives-{key}-{python_tag()}"

    @property
    def workshop(self) -> Path:
        return self.workdir / "source" / f"flydsl-{self.base}"


def _check(plan: _Plan) -> None:
    """Raises BuildFailed for a commit that there is no use in trying, as those of before March 2026."""
    inputs = plan.inputs
    if not (inputs.script and inputs.python):
        missing = PYTHON if inputs.script else BUILD
        raise BuildFailed(
            f"the commit has no {missing}: it is from before FlyDSL had today's layout", plan.log
        )
    if plan.given is None and not inputs.llvm_pin:
        raise BuildFailed("the commit names no LLVM to build it with; give one with --mlir-path", plan.log)


def _lay_over(plan: _Plan, natives: Path, folder: Path) -> None:
    """What a build would give for a commit whose native half is built already: its Python, and that.

    It is known of that build that it copies `python/flydsl` as it is.
    """
    plan.clone.write(plan.inputs.python, folder / "flydsl")
    (folder / "flydsl/_mlir").symlink_to(Path("../..", natives.name, "flydsl/_mlir"))
    first = (natives / COPIED).read_text("utf-8").strip()
    if first != plan.commit:
        _note(plan.log, f"the Python of {plan.commit} over the natives built of {first}")


def _note(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"flybisect: {line}\n")
