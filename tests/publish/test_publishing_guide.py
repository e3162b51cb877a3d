"""The examples of the publishing guide and the project's own `netlify.toml` are commands and files that exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from sitegen.cli import cli

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")
NETLIFY = (ROOT / "netlify.toml").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)
COMMAND = re.compile(r'(?:^|&& |run: |- )(sitegen [^&"\n]*)', flags=re.MULTILINE)


def commands() -> list[str]:
    texts = [text for _, text in BLOCKS] + [NETLIFY]
    return sorted({command.strip() for text in texts for command in COMMAND.findall(text)})


def parsed(arguments: list[str]) -> click.Context:
    """The context of a command line; usage errors rise."""
    command: click.Command = cli
    while isinstance(command, click.Group):
        command = command.commands[arguments.pop(0)]
    return command.make_context(command.name, arguments)


@pytest.mark.parametrize("line", commands())
def test_every_command_of_the_guide_is_one(line, monkeypatch):
    monkeypatch.chdir(ROOT)
    name, *arguments = shlex.split(re.sub(r"\$\{\{.*?\}\}", "x", line), comments=True)
    assert name == "sitegen"
    assert "--help" not in arguments
    parsed(
        [
            {"public": "runs", "site": "runs"}.get(word, word) if "check-site" in arguments else word
            for word in arguments
        ]
    )


def test_the_guide_has_commands_for_every_host():
    names = {tuple(line.split()[1:3]) for line in commands()}
    assert {("publish", "hf"), ("publish", "pages"), ("publish", "dir")} <= names
    assert {name for name, *_ in names} >= {"build", "check-site", "pull"}


def test_the_files_to_copy_are_whole():
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds.count("yaml") == 3
    assert kinds.count("toml") == 1
    for kind, text in BLOCKS:
        if kind == "yaml":
            assert yaml.safe_load(text)
        if kind == "toml":
            assert tomllib.loads(text)["build"]["publish"] == "site"


def test_the_sample_archive_is_what_netlify_builds_and_checks():
    build = tomllib.loads(NETLIFY)["build"]
    (line,) = re.findall(r"sitegen (build [^&]*)", build["command"])
    found = parsed(shlex.split(line)).params
    assert (ROOT / found["archive"]).is_dir()
    assert str(found["site"]) == build["publish"]
    assert f"check-site {build['publish']} --target netlify" in build["command"]
