"""The commands about people and programs: ``mpms users``, ``tokens``, ``tls``."""

from __future__ import annotations

import argparse

from mpms.domain.people.people import Role

LANGUAGES = ("en", "es", "de")

Commands = argparse._SubParsersAction


def add_users(commands_of: Commands[argparse.ArgumentParser]) -> None:
    users = commands_of.add_parser("users", help="people who sign in")
    of_users = users.add_subparsers(required=True, metavar="ACTION")
    add = of_users.add_parser("add", help="a new person; asks for the password")
    add.add_argument("login")
    add.add_argument("--name", required=True)
    add.add_argument("--role", required=True, choices=[str(r) for r in Role])
    add.add_argument("--group", action="append", default=[], dest="groups")
    add.add_argument("--language", choices=LANGUAGES, default="en")
    add.add_argument("--mail", default="", metavar="ADDRESS", help="for alerts")
    add.add_argument("--pin", action="store_true", help="also a PIN for tablets")
    add.add_argument(
        "--password-stdin", action="store_true", help="lines: password, PIN"
    )
    add.set_defaults(run="cli.people.add")
    mail = of_users.add_parser("mail", help="where somebody is written to")
    mail.add_argument("login")
    mail.add_argument("address", nargs="?", default="", help="none: nowhere")
    mail.set_defaults(run="cli.people.mail")
    everybody = of_users.add_parser("list", help="everybody")
    everybody.set_defaults(run="cli.people.listing")
    password = of_users.add_parser("password", help="a new password")
    password.add_argument("login")
    password.add_argument("--password-stdin", action="store_true")
    password.set_defaults(run="cli.people.password")
    for word in ("pin", "badge"):
        one = of_users.add_parser(word, help=f"a new {word} for tablets")
        one.add_argument("login")
        one.add_argument("--remove", action="store_true")
        one.add_argument("--password-stdin", action="store_true", dest="stdin")
        one.set_defaults(run=f"cli.people.{word}")
    unlock = of_users.add_parser("unlock", help="may try again after wrong passwords")
    unlock.add_argument("login")
    unlock.set_defaults(run="cli.people.unlock")
    factors = of_users.add_parser(
        "drop-factors", help="take away the second factors of who has lost them"
    )
    factors.add_argument("login")
    factors.add_argument("--why", required=True)
    factors.set_defaults(run="cli.people.drop_second_factors")
    for word, text in (("disable", "somebody leaves"), ("enable", "and comes back")):
        one = of_users.add_parser(word, help=text)
        one.add_argument("login")
        one.set_defaults(run="cli.people.set_active", active=word == "enable")


def add_tokens(commands_of: Commands[argparse.ArgumentParser]) -> None:
    tokens = commands_of.add_parser("tokens", help="programs that use the API")
    of_tokens = tokens.add_subparsers(required=True, metavar="ACTION")
    add = of_tokens.add_parser("add", help="a new token; printed this once")
    add.add_argument("name")
    add.add_argument("--role", required=True, choices=[str(r) for r in Role])
    add.add_argument("--group", action="append", default=[], dest="groups")
    add.add_argument("--days", type=int, help="how long it is good")
    add.add_argument(
        "--scope",
        action="append",
        default=[],
        dest="scopes",
        help="a section of the API, such as instances:read; else all its role may do",
    )
    add.add_argument("--per-minute", type=int, help="how often it may ask at most")
    add.add_argument("--owner", metavar="LOGIN", help="whose leaving ends it")
    add.set_defaults(run="cli.tokens.add")
    every = of_tokens.add_parser("list", help="every token")
    every.set_defaults(run="cli.tokens.listing")
    revoke = of_tokens.add_parser("revoke", help="it opens nothing any more")
    revoke.add_argument("name")
    revoke.set_defaults(run="cli.tokens.revoke")


def add_tls(commands_of: Commands[argparse.ArgumentParser]) -> None:
    secure = commands_of.add_parser("tls", help="HTTPS for the plant")
    of_tls = secure.add_subparsers(required=True, metavar="ACTION")
    init = of_tls.add_parser("init", help="a local authority and a certificate")
    init.add_argument(
        "--name", action="append", default=[], dest="names", metavar="HOST"
    )
    init.add_argument(
        "--fresh",
        action="store_true",
        help="a new authority: tablets must trust it again",
    )
    init.set_defaults(run="server.tls.init")
    renew = of_tls.add_parser("renew", help="if it ends within 60 days")
    renew.add_argument("--force", action="store_true")
    renew.set_defaults(run="server.tls.renew")
