"""`sitegen card`: the card of a run put into a folder, or into a README beside its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.errors import SitegenError
from sitegen.model.run import Run
from sitegen.privacy import masked_value
from sitegen.publish.card import (
    FILES,
    SECTION_FILE,
    Card,
    base_address,
    begin_mark,
    card_folder,
    make_card,
    readme_pictures,
    section,
)
from sitegen.publish.card_metadata import metadata
from sitegen.publish.card_parts import differing
from sitegen.publish.card_readme import Place, decoded, difference, inject, without_front_matter, without_section
from sitegen.publish.card_write import changed_files, write_files, write_whole
from sitegen.settings import SiteSettings
from sitegen.text import Lang, Text, ui


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """What the command was asked for."""

    lang: Lang
    """Language of the card."""
    base_url: str | None = None
    """Absolute address of the site; None for the one in `sitegen.toml`."""
    folder: Path | None = None
    """Folder for all files; None: one named after the run, unless a README is given."""
    readme: Path | None = None
    """README to put the section into; None for none."""
    pictures: str | None = None
    """Folder of the README's pictures, relative to it; None for `training/<run>`."""
    dry_run: bool = False
    """Write nothing and tell what would be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDone:
    """What the command did, or would do."""

    notes: tuple[Text, ...]
    """What to tell the user, a line each."""
    diff: str = ""
    """Change of the README; empty without one."""


def card_command(run: Run, analysis: RunAnalysis, site: SiteSettings, options: CardOptions) -> CardDone:
    """Makes the card of a run and writes it.

    Args:
        run: The run; it has passed the privacy border.
        analysis: Its analyses.
        site: Settings of its archive.
        options: What is wanted.

    Raises:
        SitegenError: an address, a README or a folder cannot be used; a README that cannot be changed is unchanged.
    """
    base = base_address(options.base_url) if options.base_url is not None else site.base_url
    card = make_card(run, analysis, base)
    parts = []
    if options.readme is not None:
        parts.append(_into_readme(card, run, analysis, options))
    if options.folder is not None or options.readme is None:
        parts.append(_into_folder(card, run, analysis, options))
    notes = [note for part in parts for note in part.notes]
    if options.dry_run and not notes:
        notes.append(ui("card.would.nothing"))
    if base is None:
        notes.append(ui("card.note.no-address"))
    return CardDone(notes=tuple(notes), diff="".join(part.diff for part in parts))


def _into_folder(card: Card, run: Run, analysis: RunAnalysis, options: CardOptions) -> CardDone:
    folder = options.folder or Path(f"card-{card.slug.rpartition('/')[2]}")
    if run.card is not None:
        body = without_section(run.card.body, _place(run, run.card.path))
        card = replace(card, differs=differing(run, body, run.card.path))
    files = card_folder(card, run, analysis, options.lang)
    if options.dry_run:
        return CardDone(notes=_would(folder, files))
    gone = _stale(folder, card.slug, files)
    written = write_files(folder, files)
    for path in gone:
        path.unlink(missing_ok=True)
    counts = {"changed": len(written), "same": len(files) - len(written)}
    return CardDone(notes=(ui("card.done.folder", folder=folder, **counts), *card.differs))


def _stale(folder: Path, slug: str, files: Mapping[str, bytes]) -> list[Path]:
    """Pictures that an earlier card of the same run left and this one does not have."""
    try:
        ours = (folder / SECTION_FILE).read_text(encoding="utf-8").startswith(begin_mark(slug))
    except (OSError, UnicodeDecodeError):
        return []
    return [folder / name for name in FILES if ours and name not in files and (folder / name).is_file()]


def _into_readme(card: Card, run: Run, analysis: RunAnalysis, options: CardOptions) -> CardDone:
    readme = options.readme
    assert readme is not None
    old = decoded(_content(readme), str(readme))
    folder = _picture_folder(card.slug, options.pictures)
    author = without_front_matter(old, _place(run, str(readme)))
    card = replace(card, differs=differing(run, masked_value(author, None), readme.name))
    said = section(card, options.lang, f"{quote(folder)}/")
    values = metadata(run, analysis, card.permalink(options.lang))
    new = inject(old, said, _place(run, str(readme)), values)
    files = readme_pictures(card, analysis, options.lang)
    place = readme.parent / folder
    notes = (*new.notes, *card.differs)
    if options.dry_run:
        return CardDone(notes=(*_would(place, files), *notes), diff=difference(old, new.text, str(readme)))
    written = write_files(place, files)
    if new.text != old:
        write_whole(readme, new.text.encode())
    key = "card.done.readme" if new.text != old else "card.done.readme-same"
    counts = {"changed": len(written), "same": len(files) - len(written)}
    done = ui(key, file=readme, run=card.slug, folder=place, **counts)
    return CardDone(notes=(done, *notes))


def _place(run: Run, where: str) -> Place:
    return Place(where=where, slug=run.slug, aliases=run.settings.aliases)


def _would(folder: Path, files: Mapping[str, bytes]) -> tuple[Text, ...]:
    return tuple(ui("card.would.file", file=folder / name) for name in changed_files(folder, files))


def _content(readme: Path) -> bytes:
    try:
        return readme.read_bytes()
    except FileNotFoundError:
        raise SitegenError(f"{readme}: no such file; make it first, an empty one will do") from None
    except OSError as error:
        raise SitegenError(f"{readme}: cannot be read: {error.strerror or error}") from error


def _picture_folder(slug: str, wanted: str | None) -> str:
    """The folder of a README's pictures, relative to it, with `/` between its parts.

    Raises:
        SitegenError: it is not inside the README's folder.
    """
    if wanted is None:
        return f"training/{slug.replace('/', '-')}"
    path = PurePosixPath(wanted.replace("\\", "/"))
    if path.is_absolute() or not path.parts or ".." in path.parts or not wanted.isprintable():
        raise SitegenError(f"--pictures {wanted}: must be a folder inside the README's own, as in training/{slug}")
    return path.as_posix()
