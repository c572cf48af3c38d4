"""`flybisect releases`."""

from __future__ import annotations

import typer

from flybisect.bisecting.releases import ReleaseSearch
from flybisect.bisecting.start import case_request, open_study, versions_in
from flybisect.commands import options
from flybisect.commands.notify import notifier
from flybisect.report.asjson import print_json
from flybisect.report.released import print_releases
from flybisect.workbench import set_up


def releases(
    context: typer.Context,
    versions: options.Versions,
    arguments: options.Arguments = None,
    case: options.CaseOption = None,
    find: options.FindOption = None,
    pre: options.Pre = False,
    oracle: options.OracleName = None,
    arch: options.Arch = None,
    against_args: options.AgainstArgs = None,
    against_flydsl: options.AgainstFlydsl = None,
    against_arch: options.AgainstArch = None,
    when: options.When = None,
    jobs: options.BisectJobs = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    extra_index_url: options.ExtraIndex = None,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the release that brought the bug in, or the one that repaired it."""
    notify = notifier(quiet)
    request = case_request(
        case,
        workdir,
        argv=options.argv(arguments, context.obj),
        arch=arch,
        oracle=oracle,
        against=options.against(against_args, against_flydsl, against_arch),
        when=when,
        timeout=timeout,
        memory=memory,
        jobs=jobs,
    )
    stand = set_up(request, notify, extra_index_url=extra_index_url)
    found = versions_in(versions, stand, pre=pre, extra_index_url=extra_index_url, notify=notify)
    with open_study(stand, notify) as study:
        search = ReleaseSearch(found, stand.toolchains, study.observer, study.measure)
        answer = search.run(find, stand.jobs)
        study.session.save_result({"releases": answer.to_dict()})
    if json:
        print_json(answer.to_dict())
    else:
        print_releases(answer)


def add_to(app: typer.Typer) -> None:
    app.command()(releases)
