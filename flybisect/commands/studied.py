"""The options that `releases` and `commits` share: what is studied, and how."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from flybisect.bisecting.start import case_request
from flybisect.commands import options
from flybisect.commands.sandbox import RequireSandbox
from flybisect.workbench import Request


@dataclass(frozen=True)
class Studied:
    """One field for each option."""

    arguments: options.Arguments = None
    case: options.CaseOption = None
    find: options.FindOption = None
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
    jobs: options.BisectJobs = None
    timeout: options.Timeout = None
    memory: options.Memory = None
    extra_index_url: options.ExtraIndex = None
    require_sandbox: RequireSandbox = False
    workdir: options.Workdir = None
    json: options.Json = False
    quiet: options.Quiet = False

    def request(self, command_line: Sequence[str]) -> Request:
        """Raises UserError where no case was named and nothing was reduced."""
        return case_request(
            self.case,
            self.workdir,
            argv=options.argv(self.arguments, command_line),
            arch=self.arch,
            oracle=self.oracle,
            against=options.against(self.against_args, self.against_flydsl, self.against_arch),
            when=self.when,
            timeout=self.timeout,
            memory=self.memory,
            jobs=self.jobs,
            sought=options.sought(self.pattern, self.absent, self.stage, self.command, self.same_as),
        )


def takes_studied(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with its parameter `studied` replaced by one parameter for each field of `Studied`.

    typer makes options of a function's parameters and knows no groups of them.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    types = typing.get_type_hints(Studied, include_extras=True)
    own = [
        each.replace(annotation=hints[each.name])
        for each in inspect.signature(command).parameters.values()
        if each.name != "studied"
    ]
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(field.name, kind, default=field.default, annotation=types[field.name])
        for field in fields(Studied)
    ]

    @functools.wraps(command)
    def shown(**given: object) -> None:
        values = {each.name: given.pop(each.name) for each in shared}
        command(**given, studied=typing.cast(Callable[..., Studied], Studied)(**values))

    parameters = [*own, *shared]
    shown.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    shown.__annotations__ = {each.name: each.annotation for each in parameters}
    return shown
