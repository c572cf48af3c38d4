"""`flybisect releases`."""

from __future__ import annotations

from dataclasses import replace

import typer

from flybisect.case.case import UNNAMED, Case
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.resumable import remembering
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.terminal.releases import print_releases
from flybisect.workflows.releases import bisect_releases


@takes_case()
def releases(
    context: typer.Context,
    versions: options.Versions,
    *,
    flydsl: options.ShownOn = None,
    pre: options.Pre = False,
    case: options.CaseOption = None,
    find: options.FindOption = None,
    jobs: options.BisectJobs = None,
    extra_index_url: options.ExtraIndex = None,
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Find the release in which the bug appeared, or the one that fixed it."""
    named = replace(request, script=case or UNNAMED, jobs=jobs)
    with watching("releases", quiet) as show:
        found = bisect_releases(
            named,
            versions,
            show,
            shown_on=flydsl,
            find=find,
            pre=pre,
            extra_index_url=extra_index_url,
            begun=remembering(context.obj),
        )
    if json:
        print_json(found.to_dict())
    else:
        print_releases(found.answer)


def add_to(app: typer.Typer) -> None:
    app.command()(releases)
