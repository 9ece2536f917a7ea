"""The tree of commands: parsers name functions, and every name must be right."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

from mpms.cli import parser
from mpms.cli.instances import ACTIONS
from mpms.settings import Settings


def leaves(
    tree: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command that runs something, by the words that are typed."""
    below = [a for a in tree._actions if isinstance(a, argparse._SubParsersAction)]
    if not below:
        yield " ".join(words), tree
    for action in below:
        for word, one in action.choices.items():
            yield from leaves(one, (*words, word))


COMMANDS = dict(leaves(parser()))
PROMISED = {
    *("demo", "work", "serve", "migrate", "check", "plugins"),
    *("backup", "restore", "audit verify", "audit export"),
    *("models lint", "models elements", "models deploy", "models testdrive"),
    *(f"orders {word}" for word in ("check", "send", "list", "release", "refuse")),
    *("processes start", "processes starts", "messages send", "signals send"),
    *(f"users {word}" for word in ("add", "mail", "list", "password", "pin", "badge")),
    *("users disable", "users enable", "users unlock", "users drop-factors"),
    *("tokens add", "tokens list", "tokens revoke", "tls init", "tls renew"),
    *(f"instances {word}" for word in ACTIONS),
    *(
        "scales check",
        "scales simulate",
        "tanks simulate",
        "records verify",
        "records export",
        "records key",
    ),
    *("incidents list", "incidents close", "robots probe", "compare-manual"),
}


def test_every_command_that_was_promised_is_there() -> None:
    assert set(COMMANDS) == PROMISED


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_a_command_names_a_function_that_takes_its_options(words: str) -> None:
    command = COMMANDS[words]
    given = dict(command._defaults)
    module, _, name = str(given.pop("run")).rpartition(".")
    options = {a.dest: a.default for a in command._actions if a.dest != "help"}
    function = getattr(import_module(f"mpms.{module}"), name)
    bound = inspect.signature(function).bind(Settings(), **given, **options)
    assert bound.arguments
