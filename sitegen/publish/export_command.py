"""`sitegen export`: a run as one HTML file, or its tables in a folder or a zip archive."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.errors import SitegenError
from sitegen.format import count, size
from sitegen.glossary.lookup import load_glossary
from sitegen.model.run import Run
from sitegen.publish.card import base_address
from sitegen.publish.card_write import write_files, write_whole
from sitegen.publish.export_html import ExportContext, export_html
from sitegen.publish.export_tables import Format, run_tables, table_files
from sitegen.settings import SiteSettings
from sitegen.text import Lang, Text, ui

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every file in a zip archive, so that the same run gives the same bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What the command was asked for."""

    lang: Lang
    """Language of the report."""
    both: bool = False
    """Whether it is written in both languages, in two files that link to each other."""
    path: Path
    """The file to write; of tables the folder, or a file that ends in `.zip`."""
    archive: Path
    """Root of the run's archive, for its own glossary entries."""
    kind: Format | None = None
    """Format of the tables; None for the report."""
    base_url: str | None = None
    """Absolute address of the site; None for the one in `sitegen.toml`."""


def export_command(run: Run, analysis: RunAnalysis, site: SiteSettings, options: ExportOptions) -> tuple[Text, ...]:
    """Writes what is wanted; what to tell the user, a line each.

    Raises:
        SitegenError: an address, a path or a library is not usable; what was there before is unchanged.
    """
    base = base_address(options.base_url) if options.base_url is not None else site.base_url
    glossary = load_glossary(options.archive)
    if options.kind is not None:
        return (_tables(run, analysis, options),)
    if options.path.is_dir():
        raise SitegenError(f"{options.path}: is a folder; give a file, as in -o run.html")
    address = None if base is None else base.rstrip("/") + "/"
    context = ExportContext(settings=site, glossary=glossary, base_url=address)
    places = _places(options)
    made = export_html(run, analysis, context, {lang: path.name for lang, path in places.items()})
    for lang, path in places.items():
        write_whole(path, made[lang])
    return tuple(ui("export.done", path=path, size=size(len(made[lang]))) for lang, path in places.items())


def _places(options: ExportOptions) -> dict[Lang, Path]:
    """The file of each language: of two, the Chinese one has `.zh` before its ending."""
    if not options.both:
        return {options.lang: options.path}
    other = options.path.with_name(f"{options.path.stem}.zh{options.path.suffix}")
    return {"en": options.path, "zh": other}


def _tables(run: Run, analysis: RunAnalysis, options: ExportOptions) -> Text:
    assert options.kind is not None
    found = run_tables(run, analysis, load_glossary(options.archive))
    files = dict(table_files(found, options.kind))
    if options.path.suffix == ".zip":
        write_whole(options.path, _zipped(files))
    else:
        if options.path.exists() and not options.path.is_dir():
            raise SitegenError(f"{options.path}: is a file; give a folder, or a name that ends in .zip")
        write_files(options.path, files)
    rows = sum(len(frame) for frame in found.frames.values())
    return ui("export.done.tables", path=options.path, n=len(files), rows=count(rows))


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return out.getvalue()
