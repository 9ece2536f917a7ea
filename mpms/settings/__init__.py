"""Settings, read once from the environment. docs/settings.md lists every one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import date
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from mpms.domain.execution import Execution, Feel
from mpms.domain.instances.limits import KB, Limits
from mpms.domain.settings import SettingInvalid as SettingInvalid
from mpms.domain.settings import path, seconds, value_of, yes_or_no
from mpms.settings.secrets import with_secrets


@dataclass(frozen=True)
class Settings:
    """One attribute a variable ``MPMS_<NAME>``; ``plugins``: by plug-in and name."""

    database_url: str | None = field(default=None, repr=False)
    pg_bindir: Path | None = None
    state_dir: Path = Path()
    metrics_token: str | None = field(default=None, repr=False)
    smtp_url: str | None = field(default=None, repr=False)  # may hold a password
    mail_from: str | None = None
    mail_ca_file: Path | None = None
    microsoft_tenant: str | None = None
    microsoft_client_id: str | None = None
    microsoft_client_secret: str | None = field(default=None, repr=False)
    microsoft_secret_expires_on: date | None = None
    google_key_file: Path | None = None
    web_host: str = "127.0.0.1"
    web_port: int = 8080
    web_cert_file: Path | None = None
    web_key_file: Path | None = None
    web_connections: int = 10
    web_statement_s: float = 30.0
    web_streams_each: int = 64
    web_requests_each: int = 24
    site_url: str | None = None
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    alerts_apart_s: float = 300.0
    webhooks_to_private: bool = False
    oidc_issuer: str | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = field(default=None, repr=False)
    oidc_name: str = "SSO"
    oidc_role_claim: str = "groups"
    oidc_roles: tuple[tuple[str, str], ...] = ()
    oidc_login_claim: str = "preferred_username"
    oidc_domains: tuple[str, ...] = ()
    oidc_ca_file: Path | None = None
    second_factor: str = "own"
    leaked_passwords: Path | None = None
    idle_min: tuple[tuple[str, int], ...] = (("admin", 60), ("supervisor", 60))
    log_level: str = "WARNING"
    log_format: str = "text"
    poll_s: float = 1.0
    lease_s: float = 30.0
    max_variable_kb: int = Limits().variable_bytes // KB
    max_variables_kb: int = Limits().instance_bytes // KB
    feel: Feel | None = None
    call_missing: str = "null"
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def limits(self) -> Limits:
        """What instances may keep."""
        return Limits(self.max_variable_kb * KB, self.max_variables_kb * KB)

    @property
    def execution(self) -> Execution:
        """How models are executed where engines differ."""
        return Execution(self.feel, self.call_missing == "null")

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the environment. SettingInvalid names the variable and the reason."""
        env = os.environ if environment is None else environment
        from mpms.plugins import variables  # asking for help loads next to nothing

        ours = own_variables()
        variables.require_own_settings(ours)
        env = with_secrets(env, secret_variables() | variables.secrets())
        for name in env:
            if not name.startswith("MPMS_") or name in ours | ALLOWED:
                continue
            if not variables.is_setting(name):
                raise SettingInvalid(f"{name} is not a setting. See docs/settings.md.")
        return cls(
            database_url=_database_url(env.get("MPMS_DATABASE_URL")),
            pg_bindir=_path(env.get("MPMS_PG_BINDIR")),
            state_dir=_path(env.get("MPMS_STATE_DIR")) or default_state_dir(env),
            metrics_token=env.get("MPMS_METRICS_TOKEN") or None,
            smtp_url=env.get("MPMS_SMTP_URL") or None,
            mail_from=env.get("MPMS_MAIL_FROM") or None,
            mail_ca_file=_path(env.get("MPMS_MAIL_CA_FILE")),
            microsoft_tenant=env.get("MPMS_MICROSOFT_TENANT") or None,
            microsoft_client_id=env.get("MPMS_MICROSOFT_CLIENT_ID") or None,
            microsoft_client_secret=env.get("MPMS_MICROSOFT_CLIENT_SECRET") or None,
            microsoft_secret_expires_on=_day(env, "MPMS_MICROSOFT_SECRET_EXPIRES_ON"),
            google_key_file=_path(env.get("MPMS_GOOGLE_KEY_FILE")),
            web_host=env.get("MPMS_WEB_HOST") or "127.0.0.1",
            web_port=_port(env, "MPMS_WEB_PORT", 8080),
            web_cert_file=_path(env.get("MPMS_WEB_CERT_FILE")),
            web_key_file=_path(env.get("MPMS_WEB_KEY_FILE")),
            web_connections=_count(env, "MPMS_WEB_CONNECTIONS", 10, 2, 200),
            web_statement_s=_seconds(env, "MPMS_WEB_STATEMENT_S", 30.0),
            web_streams_each=_count(env, "MPMS_WEB_STREAMS_EACH", 64, 1, 1000),
            web_requests_each=_count(env, "MPMS_WEB_REQUESTS_EACH", 24, 1, 1000),
            trusted_proxies=_networks(env.get("MPMS_TRUSTED_PROXIES") or ""),
            site_url=_site_url(env.get("MPMS_SITE_URL")),
            alerts_apart_s=_seconds(env, "MPMS_ALERTS_APART_S", 300.0),
            webhooks_to_private=_yes(env, "MPMS_WEBHOOKS_TO_PRIVATE"),
            oidc_issuer=_issuer(env),
            oidc_client_id=env.get("MPMS_OIDC_CLIENT_ID") or None,
            oidc_client_secret=env.get("MPMS_OIDC_CLIENT_SECRET") or None,
            oidc_name=env.get("MPMS_OIDC_NAME") or "SSO",
            oidc_role_claim=env.get("MPMS_OIDC_ROLE_CLAIM") or "groups",
            oidc_roles=_oidc_roles(env.get("MPMS_OIDC_ROLES") or ""),
            oidc_login_claim=env.get("MPMS_OIDC_LOGIN_CLAIM") or "preferred_username",
            oidc_domains=_domains(env.get("MPMS_OIDC_DOMAINS") or ""),
            oidc_ca_file=_path(env.get("MPMS_OIDC_CA_FILE")),
            leaked_passwords=_path(env.get("MPMS_LEAKED_PASSWORDS")),
            second_factor=_second_factor(env.get("MPMS_SECOND_FACTOR")),
            idle_min=_idle_min(env.get("MPMS_IDLE_MIN") or "admin=60,supervisor=60"),
            log_level=_level(env.get("MPMS_LOG_LEVEL")),
            log_format=_log_format(env.get("MPMS_LOG_FORMAT")),
            poll_s=_seconds(env, "MPMS_POLL_S", 1.0),
            lease_s=_seconds(env, "MPMS_LEASE_S", 30.0),
            max_variable_kb=_kilobytes(env, "MPMS_MAX_VARIABLE_KB", 1024),
            max_variables_kb=_kilobytes(env, "MPMS_MAX_VARIABLES_KB", 4096),
            feel=_feel(env.get("MPMS_FEEL")),
            call_missing=_call_missing(env.get("MPMS_CALL_MISSING")),
            plugins=variables.settings(env),
        )


def own_fields() -> list[Field[Any]]:
    """Those of the core."""
    return [each for each in fields(Settings) if each.name != "plugins"]


def own_variables() -> frozenset[str]:
    return frozenset(f"MPMS_{each.name.upper()}" for each in own_fields())


def secret_variables() -> frozenset[str]:
    """Those of the core whose values nobody may read."""
    return frozenset(f"MPMS_{e.name.upper()}" for e in own_fields() if not e.repr)


# Variables with our prefix that are not settings of the product.
ALLOWED = frozenset({"MPMS_TEST_PG_BINDIR"})
ROLES = ("admin", "supervisor", "worker", "viewer")
MOST_KB = 100_000  # a step reads and writes them all
LOG_FORMATS = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


PLANT_OF_ROOT = Path("/var/lib/mpms")


def default_state_dir(env: Mapping[str, str]) -> Path:
    """Where a plant keeps its data: root's is one of the machine, not of a person."""
    return PLANT_OF_ROOT if os.geteuid() == 0 else home_state_dir(env)


def home_state_dir(env: Mapping[str, str]) -> Path:
    """The directory for what belongs to this person."""
    base = env.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "mpms"


def _path(text: str | None) -> Path | None:
    return path(text) if text else None


def _database_url(text: str | None) -> str | None:
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise SettingInvalid(
            "MPMS_DATABASE_URL looks like postgresql://user:password@host:port/name."
        )
    return text or None


def _site_url(text: str | None) -> str | None:
    if text and not text.startswith(("https://", "http://")):
        raise SettingInvalid("MPMS_SITE_URL looks like https://mpms.plant.example.")
    return text.rstrip("/") if text else None


def _level(text: str | None) -> str:
    level = (text or "WARNING").upper()
    if level not in LEVELS:
        raise SettingInvalid(f"MPMS_LOG_LEVEL is one of {', '.join(LEVELS)}.")
    return level


def _log_format(text: str | None) -> str:
    kind = (text or "text").lower()
    if kind not in LOG_FORMATS:
        raise SettingInvalid(f"MPMS_LOG_FORMAT is one of {', '.join(LOG_FORMATS)}.")
    return kind


def _feel(text: str | None) -> Feel | None:
    match (text or "").lower():
        case "":
            return None
        case "strict":
            return "strict"
        case "standard":
            return "standard"
    raise SettingInvalid("MPMS_FEEL is strict or standard.")


def _call_missing(text: str | None) -> str:
    kind = (text or "null").lower()
    if kind not in ("null", "incident"):
        raise SettingInvalid("MPMS_CALL_MISSING is null or incident.")
    return kind


def _day(env: Mapping[str, str], name: str) -> date | None:
    try:
        return date.fromisoformat(env[name]) if env.get(name) else None
    except ValueError:
        raise SettingInvalid(f"{name} is a day such as 2027-01-31.") from None


def _yes(env: Mapping[str, str], name: str) -> bool:
    return value_of(name, env.get(name), yes_or_no, False)


def _issuer(env: Mapping[str, str]) -> str | None:
    text = env.get("MPMS_OIDC_ISSUER") or None
    if text is None:
        return None
    here = text.startswith(("http://127.0.0.1", "http://localhost"))
    if not text.startswith("https://") and not here:
        raise SettingInvalid("MPMS_OIDC_ISSUER begins with https://.")
    if not env.get("MPMS_OIDC_CLIENT_ID") or not env.get("MPMS_OIDC_CLIENT_SECRET"):
        raise SettingInvalid(
            "MPMS_OIDC_ISSUER needs MPMS_OIDC_CLIENT_ID and MPMS_OIDC_CLIENT_SECRET."
        )
    return text


def _oidc_roles(text: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for pair in filter(None, (part.strip() for part in text.split(","))):
        group, _, role = pair.rpartition("=")
        if not group.strip() or role.strip() not in ROLES:
            raise SettingInvalid(
                "MPMS_OIDC_ROLES looks like group=role,group=role with the roles"
                f" {', '.join(ROLES)}."
            )
        pairs.append((group.strip(), role.strip()))
    return tuple(pairs)


def _domains(text: str) -> tuple[str, ...]:
    found = tuple(filter(None, (part.strip().lower() for part in text.split(","))))
    if any("@" in domain or "." not in domain for domain in found):
        raise SettingInvalid(
            "MPMS_OIDC_DOMAINS looks like plant.example,other.example."
        )
    return found


def _second_factor(text: str | None) -> str:
    kind = (text or "own").lower()
    if kind not in ("own", "leaders"):
        raise SettingInvalid("MPMS_SECOND_FACTOR is own or leaders.")
    return kind


def _idle_min(text: str) -> tuple[tuple[str, int], ...]:
    """After how many minutes without a hand whose sign-in ends."""
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        role, _, minutes = (word.strip() for word in part.partition("="))
        good = minutes.isascii() and minutes.isdigit() and 1 <= int(minutes) <= 1440
        if role not in ROLES or not good:
            raise SettingInvalid(
                "MPMS_IDLE_MIN looks like admin=15,supervisor=60: minutes from 1 to"
                " 1440; roles that are not named are not signed out."
            )
        pairs.append((role, int(minutes)))
    return tuple(pairs)


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(p.strip()) for p in text.split(",") if p.strip())
    except ValueError:
        raise SettingInvalid(
            "MPMS_TRUSTED_PROXIES looks like 127.0.0.1,10.1.0.0/16."
        ) from None


def _port(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise SettingInvalid(f"{name} is a port number; 0 takes any free one.")
    return int(text)


def _kilobytes(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_KB):
        raise SettingInvalid(f"{name} is a number of kilobytes, 1 to {MOST_KB}.")
    return int(text)


def _count(
    env: Mapping[str, str], name: str, default: int, fewest: int, most: int
) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and fewest <= int(text) <= most):
        raise SettingInvalid(f"{name} is a number, {fewest} to {most}.")
    return int(text)


def _seconds(env: Mapping[str, str], name: str, default: float) -> float:
    return value_of(name, env.get(name), seconds, default)
