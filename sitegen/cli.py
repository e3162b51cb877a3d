"""The command line: parse, call, print. Every command imports what it needs, so that `--help` stays quick."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sitegen import __version__
from sitegen.cli_paths import ARCHIVE, FILE, FOLDER
from sitegen.cli_publish import publish, pull
from sitegen.cli_run import card, export
from sitegen.errors import SitegenError

INTERRUPTED = 130

workers_option = click.option("--workers", type=click.IntRange(min=1), help="Processes; all processors by default.")
strict_option = click.option("--strict", is_flag=True, help="Exit with 1 when there is a warning or an error.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sitegen", message="%(prog)s %(version)s")
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), default="en", envvar="SITEGEN_LANG", help="Language of what is printed."
)
@click.pass_context
def cli(context: click.Context, lang: str) -> None:
    """A static, bilingual web site from a folder of RL training runs."""
    context.obj = lang


@cli.command()
@click.argument("archive", type=ARCHIVE)
@click.option("-o", "--output", "site", type=FOLDER, required=True, help="Folder of the site.")
@click.option("--cache", type=FOLDER, help="Folder for finished work on runs; beside the site by default.")
@click.option("--no-cache", is_flag=True, help="Work on every run anew and keep nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@workers_option
@strict_option
@click.pass_obj
def build(lang: str, /, archive: Path, **options: Any) -> int:
    """Build the site of ARCHIVE, a folder of runs."""
    from sitegen.executor import warm_up

    if options["cache"] is not None and options["no_cache"]:
        raise click.UsageError("--cache and --no-cache exclude each other")
    if options["no_cache"] or not options["site"].exists():
        warm_up(options["workers"])
    from sitegen.build import BuildOptions, build_site
    from sitegen.console import Console

    console = Console(lang, quiet=options["quiet"])
    with console.progress() as progress:
        report = build_site(
            archive,
            options["site"],
            BuildOptions(
                workers=options["workers"],
                cache=options["cache"],
                keep=not options["no_cache"],
                progress=progress,
            ),
        )
    console.summary(report, archive, options["site"])
    return int(options["strict"] and bool(report.problems.serious or report.heavy))


@cli.command()
@click.argument("archive", type=ARCHIVE)
@click.option("--json", "as_json", is_flag=True, help="Print problems and published numbers as JSON.")
@click.option("--published", is_flag=True, help="Print every published number, not only those that differ.")
@workers_option
@strict_option
@click.pass_obj
def check(lang: str, /, archive: Path, **options: Any) -> int:
    """Read ARCHIVE, print its problems and how published numbers fare; write nothing.

    A problem is whatever is unreadable, contradictory or suspicious, with file, line and effect. The numbers that a
    run's report or model card prints are held against what its files give.
    """
    from sitegen.executor import warm_up

    warm_up(options["workers"])
    from sitegen.check import check_archive, to_json
    from sitegen.console import Console

    console = Console(lang)
    with console.progress() as progress:
        found = check_archive(archive, workers=options["workers"], progress=progress)
    if options["as_json"]:
        click.echo(to_json(found, console.lang))
    else:
        console.problems(found)
        console.published(found, everything=options["published"])
    return int(options["strict"] and found.counts.serious > 0)


@cli.command("check-site")
@click.argument("site", type=ARCHIVE)
@click.option(
    "--target",
    type=click.Choice(["hf", "netlify", "pages", "file"]),
    required=True,
    help="Where it is to be read: model hub, Netlify, GitHub Pages, a disk.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def check_site(lang: str, /, site: Path, target: str, *, as_json: bool) -> int:
    """Look through SITE for what a host would refuse, drop or break, and for secrets; exit with 1 on errors.

    Links and anchors, requests to other sites, counts and sizes, names, languages, page weight, secrets, personal data.
    """
    from sitegen.console import Console
    from sitegen.publish.check_site import check_site as look
    from sitegen.publish.check_site import counted, to_json

    console = Console(lang)
    found = look(site, target)
    if as_json:
        click.echo(to_json(found, target, console.lang))
    else:
        console.site_check(found, target)
    return int(counted(found)[0] > 0)


@cli.command()
@click.argument("archive", type=ARCHIVE, required=False)
@click.option("--site", type=ARCHIVE, help="Serve this site as it is, instead of building one.")
@click.option("-o", "--output", type=FOLDER, help="Folder of the site; a temporary one by default.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port; 8000 or, when taken, any free one by default.")
@click.pass_obj
def serve(lang: str, /, archive: Path | None, site: Path | None, output: Path | None, port: int | None) -> int:
    """Serve the site of ARCHIVE on this machine, always fresh.

    It is built again, and its pages reload, when the archive, the templates or the static files change.
    Nobody but this machine can reach it.
    """
    from sitegen.console import Console
    from sitegen.serve import serve_archive, serve_site

    if (archive is None) == (site is None):
        raise click.UsageError("give either an ARCHIVE to build or a --site to serve as it is")
    if site is not None and output is not None:
        raise click.UsageError("-o goes with an ARCHIVE, not with --site")
    if archive is not None:
        return serve_archive(archive, output, port, Console(lang))
    assert site is not None
    return serve_site(site, port, Console(lang))


@cli.command()
@click.argument("name", metavar="RUN")
@click.option("--archive", type=ARCHIVE, help="Archive in which RUN is an address, a path or a name.")
@click.option("--json", "as_json", is_flag=True, help="Write data at full precision instead of Markdown.")
@click.option("-o", "--output", type=FILE, help="File to write; printed by default.")
@click.option("--lang", "only", type=click.Choice(["en", "zh"]), help="Language of the report.")
@click.pass_obj
def report(lang: str, /, name: str, archive: Path | None, **options: Any) -> int:
    """Write the metrics report of RUN, the folder of a run, in Markdown.

    It has overview, summaries, progression, timing, engines, trials, best checkpoint, phases and findings, and says
    where a published report says otherwise, and why.
    """
    from sitegen.console import Console
    from sitegen.one_run import report_of, write_text
    from sitegen.publish.report import markdown, to_json

    found = report_of(name, archive)
    text = to_json(found) if options["as_json"] else markdown(found, Console(options["only"] or lang).lang)
    if options["output"] is None:
        click.echo(text, nl=False)
    else:
        write_text(options["output"], text)
    return 0


@cli.command()
@click.argument("name", required=False)
@click.option("--framework", help="The framework that logs it: skyrl, verl, …; any by default.")
@click.option("--lang", "only", type=click.Choice(["en", "zh"]), help="One language; both by default.")
@click.option("--archive", type=ARCHIVE, help="Use the entries of this archive's glossary/*.toml too.")
@click.option("--missing", type=ARCHIVE, help="List the names in this archive that no checked entry explains.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="With --missing: exit with 1 when there is such a name.")
@workers_option
@click.pass_obj
def glossary(lang: str, /, name: str | None, missing: Path | None, **options: Any) -> int:
    """Explain the metric, setting, exception or term NAME.

    Or list, with --missing ARCHIVE, what the runs of an archive log and nobody has explained from a source: metrics
    and exceptions, with the runs that have them.
    """
    if (name is None) == (missing is None):
        raise click.UsageError("give either a NAME to explain or --missing ARCHIVE")
    if name is not None:
        if options["strict"]:
            raise click.UsageError("--strict goes with --missing")
        return _explain(lang, name, **options)
    assert missing is not None
    if options["archive"] is not None or options["framework"] is not None:
        raise click.UsageError("--archive and --framework go with a NAME, not with --missing")
    return _list_missing(lang, missing, **options)


def _explain(
    lang: str, name: str, *, framework: str | None, archive: Path | None, only: str | None, as_json: bool, **_: Any
) -> int:
    import json

    from sitegen.console import Console
    from sitegen.glossary.lookup import load_glossary
    from sitegen.glossary.report import explain_name, explained

    entries = load_glossary(archive)
    known = [item.id for item in entries.frameworks]
    if framework is not None and framework not in known:
        raise click.UsageError(f"no entries of a framework {framework!r}; there are {', '.join(known)}")
    if as_json:
        click.echo(json.dumps(explain_name(entries, name, framework), indent=2, ensure_ascii=False))
        return 0
    for each in (only,) if only is not None else ("en", "zh"):
        Console(each).explained(explained(entries, name, framework), entries)
    return 0


def _list_missing(lang: str, missing: Path, *, only: str | None, as_json: bool, **options: Any) -> int:
    import json

    from sitegen.executor import warm_up

    warm_up(options["workers"])
    from sitegen.check import unexplained
    from sitegen.console import Console
    from sitegen.glossary.report import report_dict

    console = Console(only or lang)
    with console.progress() as progress:
        report = unexplained(missing, workers=options["workers"], progress=progress)
    if as_json:
        click.echo(json.dumps(report_dict(report), indent=2, ensure_ascii=False))
    else:
        console.missing(report)
    return int(options["strict"] and bool(report.missing))


cli.add_command(publish)
cli.add_command(pull)
cli.add_command(card)
cli.add_command(export)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; its exit code."""
    try:
        code = cli.main(list(arguments), prog_name="sitegen", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _fail(" ".join(error.format_message().split()), error.exit_code)
    except SitegenError as error:
        return _fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return 1
    except OSError as error:
        if not _output_fails():
            raise
        _abandon_output()
        return _fail(f"what is printed cannot be written: {error.strerror}", 1)
    return code if isinstance(code, int) else 0


def main() -> None:
    """The console script; an output that was closed before we began goes nowhere."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without Unicode shows the escape, not a traceback
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def _output_fails() -> bool:
    """Whether nothing can be printed any more: it goes to a file on a full disk, for one."""
    try:
        print(flush=True)  # noqa: T201 - only writing tells
    except OSError:
        return True
    return False


def _abandon_output() -> None:
    """Lets what is still to be printed go nowhere: Python flushes stdout once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    """Prints one line, whatever the message quotes."""
    click.echo(f"sitegen: {''.join(char if char.isprintable() else '�' for char in message)}", err=True)
    return code
