"""The commands that send a site to a host, and the one that fetches runs from one: parse, call, print."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sitegen.cli_paths import FOLDER
from sitegen.errors import SitegenError

if TYPE_CHECKING:
    from sitegen.console import Console
    from sitegen.publish.host_finding import HostFinding
    from sitegen.publish.parcel import Destination, Plan
    from sitegen.publish.pull import RepoPlan

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ERRORS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sending:
    """What all `publish` commands are told."""

    lang: str
    site: Path
    target: str
    """The host whose rules are checked first."""
    dry_run: bool
    force: bool


def _options(command: _Command) -> _Command:
    """The options that all hosts share."""
    shared = (
        click.option(
            "--site", type=FOLDER, default=Path("site"), show_default=True, help="Folder of the finished site."
        ),
        click.option("--dry-run", is_flag=True, help="List what would change and touch nothing."),
        click.option("--force", is_flag=True, help="Publish although the preflight found errors."),
    )
    for option in reversed(shared):
        command = option(command)
    return command


class _Hosts(click.Group):
    """The hosts; whoever names none, or another, is told which there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The host that is named first."""
        if args[0] not in self.commands:
            raise click.UsageError(f"{args[0]!r} is no host; there are {', '.join(self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Hosts, invoke_without_command=True)
@click.pass_context
def publish(context: click.Context) -> None:
    """Send a finished site to a host.

    What a host would refuse, and what would give something away, is looked for first. Only files that sitegen
    published there are ever replaced or removed.
    """
    if context.invoked_subcommand is None:
        click.echo("sitegen: publish where? Give one of the hosts:", err=True)
        for name, host in _HOSTS:
            click.echo(f"  sitegen publish {name:<14} {host.get_short_help_str(80)}", err=True)
        context.exit(2)


@publish.command("dir", short_help="Copy it into a folder: a web server's root, a mounted share.")
@click.argument("folder", metavar="DEST", type=FOLDER)
@_options
@click.pass_obj
def publish_dir(lang: str, /, folder: Path, site: Path, **options: Any) -> int:
    """Copy the site into the folder DEST: the root of a web server, a mounted share.

    Each file takes its place in one step. What others put into DEST stays as it is; a folder that is not empty and
    was not published by sitegen is refused.
    """
    from sitegen.publish.parcel import read_parcel
    from sitegen.publish.web_root import WebRoot

    parcel = read_parcel(site)
    sending = _Sending(lang=lang, site=site, target="file", **options)
    return _send(sending, WebRoot(parcel, folder, site), parcel.left)


@publish.command("hf", short_help="The Hugging Face hub: a static Space, or a folder of a repository.")
@click.argument("repo", metavar="ORG/NAME")
@click.option(
    "--repo-type",
    type=click.Choice(["space", "model", "dataset"]),
    default="space",
    show_default=True,
    help="A static Space of its own, or a folder of a repository that is there.",
)
@click.option("--path-in-repo", default="", help="Folder of a model or dataset repository: training.")
@click.option("--public", is_flag=True, help="A Space that is made can be seen by everybody; private by default.")
@click.option("--model", "models", multiple=True, help="Link the Space to this model too; may be given again.")
@_options
@click.pass_obj
def publish_hf(lang: str, /, repo: str, site: Path, public: bool, models: tuple[str, ...], **options: Any) -> int:
    """Put the site on the Hugging Face hub, as the static Space ORG/NAME or into a folder of a repository.

    A Space is made when it is missing, private unless --public says otherwise. One that is not empty and was not
    published by sitegen is refused. A run that was cut off is continued by the next. The token is that of HF_TOKEN or
    of `hf auth login`.
    """
    from sitegen.publish.hub import HubOptions, HubRepo, check_folder
    from sitegen.publish.parcel import read_parcel

    repo_type = options.pop("repo_type")
    folder = check_folder(options.pop("path_in_repo"), repo_type)
    parcel = read_parcel(site)
    chosen = HubOptions(repo=repo, repo_type=repo_type, folder=folder, public=public, models=models)
    sending = _Sending(lang=lang, site=site, target="hf", **options)
    return _send(sending, HubRepo(parcel, chosen), parcel.left)


@publish.command("pages", short_help="A branch of a git remote, as GitHub Pages serves it.")
@click.option(
    "--remote", default="origin", show_default=True, help="A remote of the repository one is in, or an address."
)
@click.option("--branch", default="gh-pages", show_default=True, help="The branch that is served.")
@click.option("--orphan", is_flag=True, help="Keep no history of the branch but this publication.")
@_options
@click.pass_obj
def publish_pages(lang: str, /, site: Path, remote: str, branch: str, orphan: bool, **options: Any) -> int:
    """Put the site on a branch of a git remote, as GitHub Pages serves it: one commit each time.

    The work tree and the index of the repository one is in are never touched. A branch with content that sitegen did
    not publish is refused.
    """
    from sitegen.publish.pages_branch import BranchOptions, PagesBranch
    from sitegen.publish.parcel import read_parcel

    parcel = read_parcel(site)
    sending = _Sending(lang=lang, site=site, target="pages", **options)
    chosen = BranchOptions(remote=remote, branch=branch, orphan=orphan)
    with PagesBranch(parcel, chosen, Path.cwd()) as destination:
        return _send(sending, destination, parcel.left)


_HOSTS = (("hf ORG/NAME", publish_hf), ("pages", publish_pages), ("dir DEST", publish_dir))
"""The hosts with what they need."""
_SIZE = re.compile(r"(?i)\s*(\d+(?:\.\d+)?)\s*(|[kmgt])b?\s*")


def _bytes(context: click.Context, option: click.Parameter, value: str) -> int:
    """An amount of bytes: `200MB`, `1.5 GB`, `4096`."""
    found = _SIZE.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no size; write it like 200MB")
    return int(float(found[1]) * 1000 ** ("", "k", "m", "g", "t").index(found[2].lower()))


@click.command()
@click.argument("names", metavar="ORG|ORG/NAME...", nargs=-1, required=True)
@click.option("--to", type=FOLDER, required=True, help="The archive that gets a folder for each repository.")
@click.option("--match", default="*", help="Of an ORG, only repositories whose name fits: 'a3-rl-*'.")
@click.option("--repo-type", type=click.Choice(["model", "dataset"]), default="model", show_default=True)
@click.option(
    "--max-file-size",
    "largest",
    callback=_bytes,
    default="200MB",
    show_default=True,
    help="Skip files above this.",
)
@click.option("--dry-run", is_flag=True, help="List what would be fetched and what not, and fetch nothing.")
@click.option("-y", "--yes", is_flag=True, help="Fetch without asking.")
@click.pass_obj
def pull(lang: str, /, names: tuple[str, ...], dry_run: bool, yes: bool, **options: Any) -> int:
    """Fetch runs from the Hugging Face hub into an archive: logs, tables, configurations, cards, results.

    Weights are never fetched. What is here already is not fetched again, what somebody changed here is kept, and what
    is skipped is listed. Then build the site with: sitegen build ARCHIVE -o SITE
    """
    from sitegen.console import Console
    from sitegen.publish.pull import Puller, PullOptions

    console = Console(lang)
    puller = Puller(PullOptions(names=names, **options))
    plans = puller.plan()
    _say_pull(console, plans, everything=dry_run)
    wanted = sum(len(plan.fetch) for plan in plans)
    if wanted and not dry_run:
        _ask(console, yes=yes)
    if dry_run:
        console.say("pull.dry-run")
        failed = tuple(plan.problem for plan in plans if plan.problem is not None)
    else:
        with console.progress("pull.fetching") as progress:
            failed = puller.fetch(plans, progress)
        came = "pull.partly" if failed else "pull.done"
        console.say(came if wanted else "pull.nothing", to=options["to"])
    for line in failed:
        click.echo(f"sitegen: {line}", err=True)
    return int(bool(failed))


def _ask(console: Console, *, yes: bool) -> None:
    """Lets a person say whether to fetch.

    Raises:
        SitegenError: there is nobody to ask.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise SitegenError("nothing was fetched: there is nobody to ask; say --yes")
    click.confirm(console.text("pull.ask"), abort=True)


def _say_pull(console: Console, plans: Sequence[RepoPlan], *, everything: bool) -> None:
    """Prints what there is to fetch as a table, and what is skipped by reason; with everything, each file."""
    from sitegen.publish.parcel import shown_names
    from sitegen.publish.pull import by_reason

    rows = [
        (
            plan.repo,
            str(len(plan.fetch)),
            _size(sum(file.size for file in plan.fetch)),
            str(plan.unchanged),
            str(len(plan.skipped)),
            _size(sum(item.size for item in plan.skipped)),
        )
        for plan in plans
        if plan.problem is None
    ]
    columns = ("repo", "files", "size", "unchanged", "skipped", "skipped-size")
    if rows:
        console.table([f"pull.col.{name}" for name in columns], rows)
    for plan in plans:
        for file in plan.fetch if everything else ():
            console.say("pull.fetch", repo=plan.repo, path=file.path, size=_size(file.size))
        for reason, items in by_reason(plan.skipped):
            names = ", ".join(item.path for item in items) if everything else shown_names(item.path for item in items)
            amount = _size(sum(item.size for item in items))
            console.say("pull.skip", repo=plan.repo, reason=reason, count=len(items), size=amount, names=names)


def _send(given: _Sending, destination: Destination, left: Sequence[str]) -> int:
    """Checks a site, says what will change at the destination, and does it."""
    from sitegen.console import Console
    from sitegen.publish.check_site import check_site
    from sitegen.publish.parcel import shown_names

    console = Console(given.lang)
    errors = _say_findings(console, [item for item in check_site(given.site, given.target) if item.path not in left])
    if errors and not given.force:
        raise SitegenError(
            f"{given.site}: not published, errors: {errors}; mend them, or publish all the same with --force"
        )
    plan = destination.plan()
    _say_plan(console, plan, everything=given.dry_run)
    for key, values in destination.notes():
        console.say(key, **values)
    if left:
        console.say("publish.left", names=shown_names(left))
    if given.dry_run:
        console.say("publish.nothing" if plan.empty else "publish.dry-run")
        return 0
    if not plan.empty:
        with console.progress("publish.sending") as progress:
            destination.send(progress)
    console.say("publish.nothing" if plan.empty else "publish.done")
    for key, values in destination.addresses():
        console.say(key, **values)
    return 0


def _say_findings(console: Console, found: Sequence[HostFinding]) -> int:
    """Prints the errors that the preflight found, and how much there is of the rest; how many errors."""
    errors = [item for item in found if item.severity == "error"]
    for item in errors[:_ERRORS_SHOWN]:
        where = item.path if item.line is None else f"{item.path}:{item.line}"
        console.say("publish.finding", where=where, text=item.text)
    if len(errors) > _ERRORS_SHOWN:
        console.say("publish.more-findings", count=len(errors) - _ERRORS_SHOWN)
    if len(found) > len(errors):
        console.say("publish.warnings", count=len(found) - len(errors))
    return len(errors)


def _say_plan(console: Console, plan: Plan, *, everything: bool) -> None:
    """Prints how much will change; with everything, each file."""
    kinds = (("added", plan.added), ("changed", plan.changed), ("removed", plan.removed))
    for kind, changes in kinds if everything else ():
        for change in changes:
            console.say(f"publish.{kind}", path=change.path, size=_size(change.size))
    counts = {kind: len(changes) for kind, changes in kinds}
    sizes = {f"{kind}_size": _size(sum(change.size for change in changes)) for kind, changes in kinds}
    console.say("publish.plan", unchanged=plan.unchanged, **counts, **sizes)


def _size(amount: int) -> str:
    """Bytes for a terminal, which is shown no space but the plain one."""
    from sitegen.format import NBSP, size

    return size(amount).replace(NBSP, " ")
