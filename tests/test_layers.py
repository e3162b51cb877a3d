"""Data flows one way: each layer imports only from layers below it, and heavy libraries stay where they belong."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "sitegen"

# From the top down. A module may import from its own layer (same package) and from any below.
LAYERS = (
    "cli",
    "cli_publish",
    "cli_run",
    "cli_paths",
    "serve",
    "console",
    "check",
    "one_run",
    "build",
    "prepare",
    "all_runs",
    "preload",
    "run_work",
    "tasks",
    "publish",
    "pages",
    "render",
    "charts",
    "analyse",
    "assemble",
    "readers",
    "scan",
    "glossary",
    "privacy",
    "cache",
    "write",
    "exchange",
    "executor",
    "budgets",
    "resources",
    "model",
    "settings",
    "format",
    "text",
    "errors",
)
PEERS = (
    {"publish", "pages"},  # run.json is written beside its page
    {"scan", "readers"},  # scan asks the readers which files they name
    {"cache", "pages"},  # finished files are kept as the `SiteFile`s that pages make
)
OWNERS = {  # library -> layers that may import it
    "pandas": {"model", "readers", "assemble", "analyse", "charts", "privacy", "publish"},
    "altair": {"charts"},
    "vl_convert": {"charts"},
    "click": {"cli", "cli_publish", "cli_run", "cli_paths"},
    "huggingface_hub": {"publish"},
    "jinja2": {"render"},
    "markdown_it": {"render"},
    "nh3": {"render"},
    "pyarrow": {"publish"},
    "rich": {"console"},
    "ruamel": {"publish"},
    "selectolax": {"publish"},
    "watchfiles": {"serve"},
}


def layer_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            if node.module == "sitegen":
                names += [f"sitegen.{alias.name}" for alias in node.names]
    return names


MODULES = sorted(path for path in ROOT.rglob("*.py") if path.name not in {"__main__.py"} and path.parent.name != "data")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_from_layers_below(path: Path) -> None:
    layer = layer_of(path)
    if layer == "__init__":
        return
    assert layer in LAYERS, f"{layer} has no place in LAYERS"
    for name in imported(path):
        if not name.startswith("sitegen."):
            continue
        other = name.split(".")[1]
        if other.startswith("__"):
            continue
        allowed = other == layer or {layer, other} in PEERS or LAYERS.index(other) > LAYERS.index(layer)
        assert allowed, f"{path.relative_to(ROOT)} imports {name}, which lies above {layer}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_library_is_imported_only_where_it_belongs(path: Path) -> None:
    for name in imported(path):
        owners = OWNERS.get(name.split(".")[0])
        if owners is not None:
            assert layer_of(path) in owners, f"{path.relative_to(ROOT)} imports {name}"
