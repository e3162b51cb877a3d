"""View models to HTML: the jinja environment, what templates may call, rendered documents, data inside pages.

Templates are compiled once per process. What a template calls (`t`, `icon`, `metric`, the number filters) reads
the page being rendered from one context variable, so that macros need no language argument. A page embeds only
the icons and the popovers it uses; both are collected while it renders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import nh3
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from sitegen import format as fmt
from sitegen.glossary.loader import units
from sitegen.glossary.observed import checked_against, contradictions
from sitegen.glossary.patterns import PLACEHOLDER, natural
from sitegen.glossary.places import CONCEPTS, LABELS
from sitegen.resources import folder
from sitegen.resources import hash_source as hash_source
from sitegen.text import Lang, Text, ui

if TYPE_CHECKING:
    from sitegen.glossary.entry import EntryKind, GlossaryEntry
    from sitegen.glossary.lookup import Glossary
    from sitegen.glossary.observed import Observed

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy of every page."""


def policy_with(*, script: str, style: str) -> str:
    """The policy of a page that holds one script and one style of its own, which it names by their hashes."""
    return CSP.replace("script-src 'self'", f"script-src 'self' {hash_source(script)}").replace(
        "style-src 'self'", f"style-src 'self' {hash_source(style)}"
    )


POPOVER_BYTES = 30_000
"""Most bytes of popover texts in one page; further names keep their link."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile(r"(?<=[-_/.:,=])(?=[^\s-])|(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_CODE = re.compile(r"`([^`]+)`")
_SUBSCRIPT = re.compile(r"(?<![^\W_])([^\W\d_])_([^\W_]+)(?![\w`])")


class Links(Protocol):
    """Addresses as seen from one page."""

    def to(self, site_path: str) -> str:
        """Relative link to a site path."""
        ...

    def page_to(self, page: str, anchor: str = "") -> str:
        """Relative link to a page in this page's language."""
        ...


class Head(Protocol):
    """What rendering needs to know of a page."""

    @property
    def path(self) -> str:
        """English site path."""
        ...

    @property
    def framework(self) -> str | None:
        """Framework whose names the page shows."""
        ...

    @property
    def entries(self) -> frozenset[str] | None:
        """Glossary entries that may be linked; None for all."""
        ...

    @property
    def names(self) -> Mapping[str, EntryKind]:
        """Names of the page's run that running text may hold."""
        ...

    @property
    def frameworks(self) -> Mapping[str, str]:
        """Logged name to its framework, where that is not the page's."""
        ...

    @property
    def observed(self) -> Mapping[str, Observed]:
        """Logged name to its values."""
        ...


class PageView(Protocol):
    """Any view model."""

    @property
    def head(self) -> Head:
        """Its head."""
        ...


class SiteView(Protocol):
    """The site as pages see it."""

    @property
    def assets(self) -> Mapping[str, str]:
        """Logical asset name to site path."""
        ...

    @property
    def glossary(self) -> Glossary:
        """The glossary."""
        ...

    def urls(self, page: str, lang: Lang) -> Links:
        """Links as seen from a page."""
        ...


@dataclass(slots=True, eq=False)
class Frame:
    """The page being rendered, and what it has used so far."""

    lang: Lang
    """Its language."""
    urls: Links
    """Its links."""
    site: SiteView
    """Its site."""
    head: Head
    """What the page says of itself."""
    icons: dict[str, None] = field(default_factory=dict)
    """Icons and patterns used, in order."""
    popovers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Popover texts by entry id, in order."""
    facts: dict[str, int] = field(default_factory=dict)
    """Units, directions and bases that popovers print, and their places: most names share them."""
    popover_bytes: int = 0
    """Their size so far."""
    distinct: Mapping[str, str] | None = None
    """The run's names that cannot be ordinary words; None until asked for."""


_frame: ContextVar[Frame] = ContextVar("sitegen-frame")


def render(template: str, page: PageView, site: SiteView, lang: Lang) -> bytes:
    """One page in one language: `templates/<template>` with `page`, `site` and `lang`."""
    urls = site.urls(page.head.path, lang)
    with _rendering(Frame(lang=lang, urls=urls, site=site, head=page.head)):
        text = environment().get_template(template).render(page=page, site=site, lang=lang, urls=urls)
    return _CONTROL.sub("\ufffd", text).encode()


@contextmanager
def _rendering(frame: Frame) -> Iterator[None]:
    token = _frame.set(frame)
    try:
        yield
    finally:
        _frame.reset(token)


class _Compiled(BytecodeCache):
    """Templates that this process or another one has compiled."""

    code: ClassVar[dict[str, bytes]] = {}
    """Bytecode by the template's key."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Takes what there is; code of another source or another Python is passed over."""
        if bucket.key in self.code:
            bucket.bytecode_from_string(self.code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what was just compiled."""
        self.code[bucket.key] = bucket.bytecode_to_string()


def compiled_templates() -> Mapping[str, bytes]:
    """Every template compiled, for `install_templates` in other processes, which compile nothing then."""
    for name in environment().list_templates():
        environment().get_template(name)
    return dict(_Compiled.code)


def install_templates(compiled: Mapping[str, bytes]) -> None:
    """Takes templates that another process compiled."""
    _Compiled.code.update(compiled)


class _Environment(Environment):
    def _generate(self, *source: Any, **options: Any) -> str:
        """Compiles outside every page, so that what follows the page's language cannot become a constant."""
        return Context().run(super()._generate, *source, **options)


@cache
def environment() -> Environment:
    """The jinja environment, made once per process."""
    env = _Environment(
        loader=FileSystemLoader(folder("templates"), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=_Compiled(),
        optimized=False,
    )
    env.globals = {
        "t": _string,
        "gap": _gap,
        "text_in": lambda key, lang: ui(key).of(lang),
        "unit": lambda code: unit(code, _lang()),
        "direction": lambda code: direction(code, _lang()),
        "csp": CSP,
        "lang_of": lang_of,
        "icon": _icon,
        "status_icon": _status_icon,
        "use_icon": _use_icon,
        "sprite": _sprite,
        "asset": lambda name: _frame.get().urls.to(_frame.get().site.assets[name]),
        "link": lambda path: _frame.get().urls.to(path),
        "page_link": lambda path, anchor="": _frame.get().urls.page_to(path, anchor),
        "metric": metric,
        "concepts": concepts,
        "exception": exception,
        "exception_data": exception_data,
        "term": term,
        "label_term": label_term,
        "popovers": _popovers,
        "json_script": json_script,
        "linked_data": linked_data,
        "range": range,
    }
    env.filters.update(_filters())
    return env


def _filters() -> dict[str, Any]:
    """The filters templates may use; those that depend on the language read it from the frame."""
    return {
        "tx": lambda text: text.of(_lang()),
        "num": fmt.number,
        "fixed": fmt.fixed,
        "count": fmt.count,
        "signed": fmt.signed,
        "pct": lambda share, places=1: fmt.percent(share, _lang(), places),
        "pctnum": fmt.percentage,
        "dur": lambda seconds: fmt.duration(seconds, _lang()),
        "date": lambda unix: fmt.date(unix, _lang()),
        "date_range": lambda first, last: fmt.date_range(first, last, _lang()),
        "clock": lambda unix: fmt.clock(unix, _lang()),
        "iso": fmt.iso,
        "size": fmt.size,
        "setting": fmt.setting,
        "middle": fmt.middle,
        "svg": fmt.svg,
        "sortable": fmt.sortable,
        "json": js_text,
        "mathml": mathml,
        "wrap": wrap,
        "pattern": pattern,
        "named": named,
        "plain": plain,
        "prose": prose,
        "legend": legend,
        "markdown": markdown,
        "join": _join,
        "length": len,
        "default": lambda value, other: other if value is None else value,
    }


def _lang() -> Lang:
    return _frame.get().lang


def _string(key: str, **values: Any) -> str:
    """One interface string in the page's language."""
    return ui(key, **fmt.counted(values)).of(_lang())


def _gap() -> str:
    """What stands between two sentences: Chinese full stops bring their own room."""
    return " " if _lang() == "en" else ""


def _join(parts: Any, separator: str = "") -> Markup:
    return Markup(escape(separator)).join(parts)


@lru_cache(maxsize=4096)
def wrap(name: str) -> Markup:
    """A name that may break after `-`, `_`, `/`, `.`, `:` and before the capitals of `CamelCase`; never cut."""
    return Markup("<wbr>").join(_BREAKS.split(name))


def lang_of(name: str) -> Markup:
    """The `lang` attribute of a run's own words: Chinese or English by their letters, none for other scripts."""
    if name.isascii():
        return Markup(' lang="en"')
    letters = [char for char in name if char.isalpha()]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    if chinese * 5 > len(letters):
        return Markup(' lang="zh-CN"')
    return (
        Markup(' lang="en"') if all(char < "\u0250" or "\u4e00" <= char <= "\u9fff" for char in letters) else Markup("")
    )


def _icon(name: str, css: str = "i") -> Markup:
    """An icon of `static/img/icons.svg` by reference; decorative, so hidden from screen readers."""
    _frame.get().icons[name] = None
    return Markup('<svg class="{}" aria-hidden="true"><use href="#{}"/></svg>').format(css, name)


def _status_icon(name: str) -> Markup:
    """An icon that takes its size from where it stands (status marks, severities)."""
    _frame.get().icons[name] = None
    return Markup('<svg aria-hidden="true"><use href="#{}"/></svg>').format(name)


def _use_icon(name: str) -> str:
    """The id of an icon or fill pattern, which thereby is on the page (patterns are named by the style sheet)."""
    _frame.get().icons[name] = None
    return name


def _sprite() -> Markup:
    """The definitions of all icons and patterns used so far; to be called after the content."""
    used = _frame.get().icons
    known = symbols()
    body = "".join(known[name] for name in sorted(used))
    return Markup('<svg class="sprite" aria-hidden="true">{}</svg>').format(Markup(body)) if body else Markup("")


@cache
def symbols() -> Mapping[str, str]:
    """Every symbol and pattern of `static/img/icons.svg` by its id (our own file)."""
    text = folder("static").joinpath("img", "icons.svg").read_text(encoding="utf-8")
    found = re.findall(r'<(symbol|pattern) id="([^"]+)".*?</\1>', text, flags=re.DOTALL)
    whole = [match.group(0) for match in re.finditer(r"<(symbol|pattern) id=.*?</\1>", text, flags=re.DOTALL)]
    return {name: body for (_, name), body in zip(found, whole, strict=True)}


def metric(name: str, label: str | Text | None = None) -> Markup:
    """A logged name with its popover and the link to its glossary page; every name has one."""
    frame = _frame.get()
    return _linked(frame, frame.site.glossary.explain(name, _framework(frame, name)), name, label)


def exception(name: str, label: str | Text | None = None) -> Markup:
    """An exception class with its popover and the link to its glossary page; every class has one."""
    frame = _frame.get()
    return _linked(frame, frame.site.glossary.explain(name, _framework(frame, name), "exception"), name, label)


def exception_data(name: str) -> Markup:
    """What a script needs to explain an exception that it writes itself: attributes for an element that names it."""
    frame = _frame.get()
    key, href = _explained(frame, frame.site.glossary.explain(name, _framework(frame, name), "exception"), name)
    return Markup(' data-key="{}" data-href="{}"').format(key, href)


def term(name: str, label: str | Text | None = None, kind: EntryKind | None = None) -> Markup:
    """A setting, exception, column or entry id: linked when the glossary knows it, plain otherwise.

    Settings need `kind="setting"`; without a kind, metrics, engine fields, trial columns and exceptions are tried.
    """
    frame = _frame.get()
    glossary, pages = frame.site.glossary, frame.head.entries
    entry = glossary.find(name, _framework(frame, name), kind) or glossary.entry(name)
    if entry is None or (pages is not None and entry.id not in pages):
        return _shown(name, label, frame.lang)
    return _linked(frame, entry, name, label)


def label_term(key: str, label: str) -> Markup:
    """An interface string, explained where `LABELS` has an entry for it."""
    return term(LABELS[key], label) if key in LABELS else escape(label)


def concepts(section: str) -> Markup:
    """The line that leads from a section of a page to the concepts it rests on; empty where it names none."""
    known = _frame.get().site.glossary
    entries = [entry for key in CONCEPTS.get(section, ()) if (entry := known.entry(key)) is not None]
    if not entries:
        return Markup("")
    links = Markup(" · ").join(term(entry.id, entry.title) for entry in entries)
    return Markup('<p class="concepts"><span>{}</span>{}{}</p>').format(_string("run.concepts"), _gap(), links)


def _framework(frame: Frame, name: str) -> str | None:
    return frame.head.frameworks.get(name, frame.head.framework)


def named(text: str | Text, only: Iterable[str] | None = None, *, broken: bool = False) -> Markup:
    """A sentence about the page's run in which names of its metrics and exceptions are explained.

    Args:
        text: the sentence.
        broken: whether all of it may break like a name.
        only: the names that it is about, as its rule tells; a span may be meant by its bare name. None: every name of
            the run that cannot be an ordinary word.
    """
    frame = _frame.get()
    shown = text.of(frame.lang) if isinstance(text, Text) else text
    names = _distinct_names(frame, shown) if only is None else _meant(only, frame.head.names)
    plainly = wrap if broken else escape
    if not names:
        return plainly(shown)
    parts = _any_of(tuple(names)).split(shown)
    return Markup("").join(
        _by_kind(frame, names[part], part) if index % 2 else plainly(part) for index, part in enumerate(parts)
    )


def _by_kind(frame: Frame, name: str, shown: str) -> Markup:
    code = Markup(f"<code>{wrap(shown)}</code>")
    return exception(name, code) if frame.head.names[name] == "exception" else metric(name, code)


def _meant(names: Iterable[str], known: Mapping[str, EntryKind]) -> dict[str, str]:
    """As printed to as logged; `step` means `timing/step` where no other logged name ends so."""
    found: dict[str, str] = {}
    for name in names:
        whole = [name] if name in known else [other for other in known if other.endswith(f"/{name}")]
        if len(whole) == 1:
            found[name] = whole[0]
    return found


_DISTINCT = re.compile(r"[/_]|[a-z][A-Z]")


def _distinct_names(frame: Frame, text: str) -> Mapping[str, str]:
    """The names that cannot be ordinary words: `policy/loss`, `AgentTimeoutError`, but not `entropy`."""
    if not _DISTINCT.search(text):
        return {}
    if frame.distinct is None:
        frame.distinct = {name: name for name in frame.head.names if _DISTINCT.search(name)}
    return frame.distinct


@lru_cache(maxsize=64)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the names as a whole, the longest first."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w/@.-])({'|'.join(map(re.escape, longest))})(?![\w/@]|[.-]\w)", re.ASCII)


def _shown(name: str, label: str | Text | None, lang: Lang) -> Markup:
    if label is None:
        return Markup(f"<code>{wrap(name)}</code>")
    return escape(label.of(lang) if isinstance(label, Text) else label)


def _linked(frame: Frame, entry: GlossaryEntry, name: str, label: str | Text | None) -> Markup:
    key, href = _explained(frame, entry, name)
    written = label is None and entry.notice is None and name in entry.names
    shown = Markup(f"<code>{pattern(name)}</code>") if written else _shown(name, label, frame.lang)
    return Markup(f'<a class="term" href="{escape(href)}" data-term="{escape(key)}">{shown}</a>')


def _explained(frame: Frame, entry: GlossaryEntry, name: str) -> tuple[str, str]:
    """Key of the popover, which is on the page from now on, and the link to the entry."""
    key = entry.id if name == entry.id or name in entry.names else f"{entry.id} {name}"
    _collect(frame, key, name, entry)
    return key, frame.urls.page_to(f"glossary/{entry.id}.html")


_DIRECTED = ("metric", "engine-field", "trial-column")
"""Kinds whose values may be better or worse."""


def _collect(frame: Frame, key: str, name: str, entry: GlossaryEntry) -> None:
    """Keeps the popover text of an entry; of a pattern's entry one text per name, since its title names the name."""
    if key in frame.popovers:
        return
    lang = frame.lang
    notes: list[str] = []
    if name in frame.head.observed:
        values = frame.head.observed[name]
        notes = [note.of(lang) for note in contradictions(entry, values)]
        entry = checked_against(entry, values)
    read = natural(entry)
    better = direction(entry.direction, lang) if entry.kind in _DIRECTED else ""
    told = [part for part in (unit(entry.unit, lang), better) if part]
    if entry.confidence in ("inferred", "unknown"):
        told.append(ui(f"confidence.{entry.confidence}").of(lang))
    sentence = (" " if lang == "en" else "").join(notes) or read.short.of(lang)
    popover: dict[str, Any] = {"t": plain(read.title.of(lang)), "s": plain(sentence), "m": [100] * len(told)}
    new = [fact for fact in told if fact not in frame.facts]
    size = len(js_text({key: popover, "": new}).encode())
    if frame.popover_bytes + size <= POPOVER_BYTES:
        popover["m"] = [frame.facts.setdefault(fact, len(frame.facts)) for fact in told]
        frame.popovers[key] = popover
        frame.popover_bytes += size


@lru_cache(maxsize=4096)
def pattern(name: str) -> Markup:
    """A logged name that may break; what a placeholder of a pattern stands for is set apart, without its braces."""
    parts = PLACEHOLDER.split(name)
    return Markup("").join(
        Markup("<var>{}</var>").format(part) if index % 2 else wrap(part) for index, part in enumerate(parts)
    )


def plain(text: str) -> str:
    """A text of ours without its backticks."""
    return _CODE.sub(r"\1", text)


def _popovers() -> Markup:
    """The popover texts of all names shown so far; to be called after the content."""
    frame = _frame.get()
    return (
        json_script({"facts": list(frame.facts), "terms": frame.popovers}, "popovers") if frame.popovers else Markup("")
    )


def unit(code: str, lang: Lang) -> str:
    """A unit code in words; empty without one."""
    return units()[code].name.of(lang) if code else ""


def direction(code: str, lang: Lang) -> str:
    """Which way is better, in words; empty when it does not apply."""
    if code.startswith("near:"):
        return ui("direction.near", value=code.removeprefix("near:")).of(lang)
    return ui(f"direction.{code}").of(lang) if code else ""


_IN_TEXTS: tuple[EntryKind | None, ...] = (None, "setting", "concept")


def prose(text: str | Text) -> Markup:
    """A short text of ours: names in backticks become code, linked and explained where the glossary knows them."""
    frame = _frame.get()
    source = text.of(frame.lang) if isinstance(text, Text) else text
    parts = _CODE.split(source)
    return Markup("").join(_code_of(frame, part) if index % 2 else named(part) for index, part in enumerate(parts))


def legend(text: str | Text) -> Markup:
    """The symbols of a formula in words, as `prose`, with `d_g` as d and a subscript."""
    source = text.of(_frame.get().lang) if isinstance(text, Text) else text
    return Markup("").join(
        prose(f"`{part}`") if index % 2 else _with_subscripts(part) for index, part in enumerate(_CODE.split(source))
    )


def _with_subscripts(text: str) -> Markup:
    pieces = _SUBSCRIPT.split(text)
    made = [named(pieces[0])]
    for letter, below, after in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        made += [Markup("<var>{}<sub>{}</sub></var>").format(letter, below), named(after)]
    return Markup("").join(made)


def _code_of(frame: Frame, name: str) -> Markup:
    """A name of a text as code; a setting or a concept is linked only where the page knows which have pages."""
    pages = frame.head.entries
    for kind in _IN_TEXTS:
        entry = frame.site.glossary.find(name, _framework(frame, name), kind) if pages is not None else None
        if entry is not None and frame.head.path == f"glossary/{entry.id}.html":
            return _shown(name, None, frame.lang)  # its own page
        if entry is not None and pages is not None and entry.id in pages:
            return _linked(frame, entry, name, None)
    return term(name)


_MATHML = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
    *("munder", "mover", "munderover", "mstyle", "mpadded", "mtable", "mtr", "mtd", "mphantom", "menclose", "mfenced"),
}
_MATHML_ATTRIBUTES = {
    *("display", "stretchy", "fence", "form", "separator", "lspace", "rspace", "width", "mathvariant", "accent"),
    *(
        "displaystyle",
        "scriptlevel",
        "minsize",
        "maxsize",
        "columnalign",
        "columnspacing",
        "rowspacing",
        "linethickness",
    ),
    *("movablelimits", "largeop", "symmetric", "accentunder", "notation"),
}


@cache
def mathml(math: str) -> Markup:
    """A formula's MathML, sanitised, since an archive may bring formulas of its own; empty for an empty text."""
    clean = nh3.clean(math, tags=_MATHML, attributes={"*": set(_MATHML_ATTRIBUTES)}, url_schemes=set())
    return Markup(clean)


def json_script(data: Any, element_id: str | None = None) -> Markup:
    """Data as `<script type="application/json">`; the text cannot end the element or open a comment.

    Raises:
        ValueError: a NaN or infinite number (absent is None).
    """
    attribute = Markup(' id="{}"').format(element_id) if element_id else Markup("")
    return Markup('<script type="application/json"{}>{}</script>').format(attribute, Markup(js_text(data)))


def linked_data(data: Any) -> Markup:
    """Structured data for search engines: a block that no browser runs, so that the policy lets it stand.

    Raises:
        ValueError: a NaN or infinite number.
    """
    return Markup('<script type="application/ld+json">{}</script>').format(Markup(js_text(data)))


def js_text(data: Any) -> str:
    """JSON that may stand in a script element or a script file.

    Raises:
        ValueError: a NaN or infinite number.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, escaped in _JS_ESCAPES:
        text = text.replace(char, escaped)
    return text


_JS_ESCAPES = (
    ("<", "\\u003c"),
    (">", "\\u003e"),
    ("&", "\\u0026"),
    ("\u2028", "\\u2028"),
    ("\u2029", "\\u2029"),
)


# ---------------------------------------------------------------- documents of a run

_TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td", "div"),
}
_ATTRIBUTES = {
    "a": {"href"},
    "th": {"class"},
    "td": {"class"},
    "ol": {"start"},
    "div": {"class"},
    "table": {"class"},
}
_CLASSES = {"n", "t-wrap", "t", "dense"}


def markdown(text: str, top: int = 3) -> Markup:
    """A document as safe HTML: no raw HTML, no images fetched, only web and mail links.

    Headings start at level `top`; an image becomes its description, linked when it is on the web.
    """
    parser = _parser()
    tokens = parser.parse(text.replace("\x00", "\ufffd"))
    _adapt(tokens, top)
    html = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )
    return Markup(clean)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return parser.enable(["table", "strikethrough"])


def _attribute(tag: str, name: str, value: str) -> str | None:
    """What nh3 keeps of an attribute: our own classes, absolute web and mail addresses."""
    if name == "class":
        kept = [part for part in value.split() if part in _CLASSES]
        return " ".join(kept) or None
    if tag == "a" and name == "href":
        return value if re.match(r"(https?://|mailto:)", value, re.IGNORECASE) else None
    return value


def _adapt(tokens: list[Token], top: int) -> None:
    """Shifts headings, wraps tables, turns alignment styles into classes and images into text, in place."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + top - 1, 6)}"
        elif token.type in ("th_open", "td_open"):
            right = "right" in str(token.attrs.pop("style", ""))
            if right:
                token.attrSet("class", "n")
        elif token.type == "table_open":
            token.attrSet("class", "t dense")
        elif token.type == "inline":
            token.children = [part for child in token.children or [] for part in _without_image(child)]


def _without_image(token: Token) -> list[Token]:
    if token.type != "image":
        return [token]
    source = str(token.attrGet("src") or "")
    words = token.content or source.rsplit("/", 1)[-1]
    text = Token("text", "", 0, content=words)
    if not re.match(r"https?://", source, re.IGNORECASE):
        return [text]
    return [Token("link_open", "a", 1, attrs={"href": source}), text, Token("link_close", "a", -1)]
