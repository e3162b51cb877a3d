"""The commands that make files of one run, to be put elsewhere: parse, call, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sitegen.cli_paths import ANY, ARCHIVE, FILE, FOLDER


@click.command()
@click.argument("name", metavar="RUN")
@click.option("--archive", type=ARCHIVE, help="Archive in which RUN is an address, a path or a name.")
@click.option("-o", "--output", "folder", type=FOLDER, help="Folder of the card; card-<run> by default.")
@click.option("--inject", "readme", type=FILE, help="Put the section into this README, or refresh it there.")
@click.option("--pictures", help="Folder of the README's pictures, inside its own; training/<run> by default.")
@click.option("--base-url", help="Address of the published site, for links to the run's page.")
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option("--lang", "only", type=click.Choice(["en", "zh"]), help="Language of the card.")
@click.pass_obj
def card(lang: str, /, name: str, archive: Path | None, only: str | None, **options: Any) -> int:
    """Write a section for the model card of RUN: result, key numbers, pictures, badge, YAML.

    With --inject it goes between two marks in a README; whatever else is in it stays byte for byte, and a second time
    changes nothing.
    """
    from sitegen.console import Console, plain
    from sitegen.one_run import one_run
    from sitegen.publish.card_command import CardOptions, card_command

    if options["pictures"] is not None and options["readme"] is None:
        raise click.UsageError("--pictures goes with --inject")
    console = Console(only or lang)
    found = one_run(name, archive)
    done = card_command(found.run, found.analysis, found.site, CardOptions(lang=console.lang, **options))
    for line in done.diff.split("\n")[:-1]:
        click.echo(plain(line.removesuffix("\r").replace("\u00a0", " ")))
    for note in done.notes:
        click.echo(plain(note.of(console.lang).replace("\u00a0", " ")))
    return 0


@click.command()
@click.argument("name", metavar="RUN")
@click.option("--archive", type=ARCHIVE, help="Archive in which RUN is an address, a path or a name.")
@click.option("-o", "--output", "path", type=ANY, required=True, help="The file; of tables a folder or a .zip file.")
@click.option("--format", "kind", type=click.Choice(["csv", "parquet", "json"]), help="Write the tables instead.")
@click.option("--base-url", help="Address of the published site, for links into it.")
@click.option(
    "--lang",
    "only",
    type=click.Choice(["en", "zh", "both"]),
    help="Language of the report; both: two files that link to each other, RUN.html and RUN.zh.html.",
)
@click.pass_obj
def export(lang: str, /, name: str, archive: Path | None, only: str | None, **options: Any) -> int:
    """Write RUN as one HTML file that opens anywhere and loads nothing.

    With --format its tables are written, with a dictionary that says what each column holds.
    """
    from sitegen.console import Console, plain
    from sitegen.one_run import one_run
    from sitegen.publish.export_command import ExportOptions, export_command

    console = Console(only if only in ("en", "zh") else lang)
    found = one_run(name, archive)
    wanted = ExportOptions(lang=console.lang, both=only == "both", archive=found.archive, **options)
    for said in export_command(found.run, found.analysis, found.site, wanted):
        click.echo(plain(said.of(console.lang).replace("\u00a0", " ")))
    return 0
