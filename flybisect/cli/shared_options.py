"""The options that commands share: which bug is meant, and what is studied."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.case.case import Against, Sought
from flybisect.case.request import CaseRequest
from flybisect.case.variables import Variables, given
from flybisect.cli import options
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.workflows.bisection import case_request


@dataclass(frozen=True)
class Bug:
    """Which bug is meant, and how it is looked at: one field for each option."""

    arguments: options.Arguments = None
    env: options.Env = None
    oracle: options.OracleName = None
    arch: options.Arch = None
    against_args: options.AgainstArgs = None
    against_flydsl: options.AgainstFlydsl = None
    against_arch: options.AgainstArch = None
    when: options.When = None
    pattern: options.Pattern = None
    absent: options.Absent = None
    stage: options.StageName = None
    command: options.Command = None
    same_as: options.SameAs = None
    timeout: options.Timeout = None
    memory: options.Memory = None
    require_sandbox: RequireSandbox = False
    workdir: options.Workdir = None
    scheduler: options.Scheduler = None
    json: options.Json = False
    quiet: options.Quiet = False

    @property
    def against(self) -> Against | None:
        return options.against(self.against_args, self.against_flydsl, self.against_arch)

    @property
    def sought(self) -> Sought:
        """Raises UserError where an option is empty."""
        return options.sought(self.pattern, self.absent, self.stage, self.command, self.same_as)

    @property
    def variables(self) -> Variables:
        """Raises UserError where one cannot be handed to the script."""
        return given(self.env or (), os.environ)

    def about(
        self,
        script: Path,
        command_line: Sequence[str],
        flydsl: str | None = None,
        jobs: int | None = None,
        valid_on: Sequence[str] = (),
    ) -> CaseRequest:
        """For a script that was named."""
        return CaseRequest(
            script=script,
            argv=options.argv(self.arguments, command_line),
            arch=self.arch,
            flydsl=flydsl,
            oracle=self.oracle,
            against=self.against,
            when=self.when,
            sought=self.sought,
            timeout=self.timeout,
            memory=self.memory,
            jobs=jobs,
            workdir=self.workdir,
            scheduler=self.scheduler,
            env=self.variables,
            valid_on=tuple(valid_on),
        )


@dataclass(frozen=True)
class Studied(Bug):
    """What is bisected, beside: a case, or what was reduced last."""

    case: options.CaseOption = None
    find: options.FindOption = None
    jobs: options.BisectJobs = None
    extra_index_url: options.ExtraIndex = None

    def request(self, command_line: Sequence[str]) -> CaseRequest:
        """Raises UserError where no case was named and nothing was reduced."""
        return case_request(
            self.case,
            self.workdir,
            argv=options.argv(self.arguments, command_line),
            arch=self.arch,
            oracle=self.oracle,
            against=self.against,
            when=self.when,
            timeout=self.timeout,
            memory=self.memory,
            jobs=self.jobs,
            sought=self.sought,
            scheduler=self.scheduler,
            env=self.variables,
        )
