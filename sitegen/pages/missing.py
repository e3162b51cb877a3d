"""`404.html`, which a host shows at any address: from there no relative link is known, so it holds what it needs."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.pages.base import PageHead, SiteContext
from sitegen.render import policy_with
from sitegen.resources import static_bytes
from sitegen.text import ui


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPage:
    """A page that asks for no file but a picture, by which its script finds where the site begins."""

    head: PageHead
    """Its head."""
    script: str
    """`static/js/missing.js`."""
    style: str
    """How it looks."""
    policy: str
    """Its Content-Security-Policy: the script and the style named by their hashes."""
    probe: str
    """Site path of the picture."""


def missing_page(site: SiteContext) -> MissingPage:
    """The page for addresses that do not exist."""
    script = static_bytes("js/missing.js").decode()
    style = "".join(static_bytes(f"css/{name}.css").decode() for name in ("tokens", "missing"))
    return MissingPage(
        head=PageHead(path="404.html", title=ui("missing.title"), translated=False),
        script=script,
        style=style,
        policy=policy_with(script=script, style=style),
        probe=site.assets["icon.svg"],
    )
