"""Tokens of Microsoft and Google, with their servers played by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jwt
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import exceptions

from mpms.adapters.mail_account import (
    Google,
    Login,
    Microsoft,
    Password,
    TokenUnavailable,
)
from mpms.adapters.oauth import token_source

USER = "orders@plant.example.com"
MICROSOFT = Microsoft("tenant-1", "application-1", "hush")
Account = tuple[Google, rsa.RSAPublicKey]


def tokens_of(login: Login, **parts: Any) -> Callable[[], str]:
    tokens = token_source(login, USER, **parts)
    assert tokens is not None
    return tokens


class Answer:
    def __init__(self, status: int, content: dict[str, Any]) -> None:
        self.status_code = self.status = status
        self.text = json.dumps(content)
        self.data = self.text.encode()
        self.headers: dict[str, str] = {}

    def raise_for_status(self) -> None:
        assert self.status_code < 400


class MicrosoftServer:
    """Plays login.microsoftonline.com for msal."""

    def __init__(self, *answers: tuple[int, dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def get(self, url: str, **options: Any) -> Answer:
        base = "https://login.microsoftonline.com/tenant-1"
        return Answer(
            200,
            {
                "issuer": f"{base}/v2.0",
                "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                "token_endpoint": f"{base}/oauth2/v2.0/token",
            },
        )

    def post(self, url: str, data: dict[str, Any], **options: Any) -> Answer:
        self.asked.append((url, dict(data)))
        return Answer(*self.answers.pop(0))

    def close(self) -> None:
        pass


class Unreachable(MicrosoftServer):
    def get(self, url: str, **options: Any) -> Answer:
        raise requests.ConnectionError("no route")


def test_a_password_needs_no_token() -> None:
    assert token_source(Password("x"), USER) is None
    assert token_source(None, USER) is None


def test_microsoft_gives_a_token_for_the_applications_secret() -> None:
    good = {"token_type": "Bearer", "expires_in": 3600}
    server = MicrosoftServer(
        (200, good | {"access_token": "token-1"}),
        (200, good | {"access_token": "token-2"}),
    )
    tokens = tokens_of(MICROSOFT, http_client=server)
    # Not from a cache: a revoked token must not be tried again.
    assert [tokens(), tokens()] == ["token-1", "token-2"]
    url, form = server.asked[0]
    assert url.endswith("/tenant-1/oauth2/v2.0/token")
    assert form["grant_type"] == "client_credentials"
    assert form["client_id"] == "application-1"
    assert form["client_secret"] == "hush"
    assert form["scope"] == "https://outlook.office365.com/.default"


def test_microsofts_refusal_is_repeated_in_one_line_without_the_secret() -> None:
    refusal = {
        "error": "invalid_client",
        "error_description": "AADSTS7000222: The secret has expired.\r\nTrace: 1",
    }
    server = MicrosoftServer((401, refusal))
    tokens = tokens_of(MICROSOFT, http_client=server)
    with pytest.raises(TokenUnavailable, match="AADSTS7000222") as refused:
        tokens()
    assert "application-1" in str(refused.value)
    assert "Trace" not in str(refused.value)
    assert "hush" not in str(refused.value)


def test_microsoft_out_of_reach_is_named() -> None:
    tokens = tokens_of(MICROSOFT, http_client=Unreachable())
    with pytest.raises(TokenUnavailable, match="cannot be reached"):
        tokens()


@pytest.fixture(scope="module")
def service_account(
    tmp_path_factory: pytest.TempPathFactory,
) -> Account:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path = tmp_path_factory.mktemp("google") / "key.json"
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    content = {
        "type": "service_account",
        "client_email": "mpms@project.example.com",
        "private_key_id": "1",
        "private_key": pem.decode(),
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    path.write_text(json.dumps(content))
    return Google(path), key.public_key()


class GoogleServer:
    def __init__(self, *answers: tuple[int, dict[str, Any]] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[bytes] = []

    def __call__(
        self, url: str, method: str = "GET", body: bytes = b"", **options: Any
    ) -> Answer:
        self.asked.append(body)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(*answer)


def test_google_gives_a_token_to_act_as_the_mailboxs_user(
    service_account: Account,
) -> None:
    login, public_key = service_account
    server = GoogleServer((200, {"access_token": "token-1", "expires_in": 3600}))
    assert tokens_of(login, transport=server)() == "token-1"
    assertion = parse_qs(server.asked[0].decode())["assertion"][0]
    claims = jwt.decode(
        assertion,
        public_key,
        algorithms=["RS256"],
        audience="https://oauth2.googleapis.com/token",
    )
    assert claims["sub"] == USER
    assert claims["iss"] == "mpms@project.example.com"
    assert claims["scope"] == "https://mail.google.com/"


def test_googles_refusal_is_repeated(service_account: Account) -> None:
    login, _ = service_account
    server = GoogleServer((401, {"error": "unauthorized_client"}))
    with pytest.raises(TokenUnavailable, match="unauthorized_client"):
        tokens_of(login, transport=server)()


def test_google_out_of_reach_is_named(service_account: Account) -> None:
    login, _ = service_account
    away: Exception = exceptions.TransportError("no route")  # type: ignore[no-untyped-call]
    server = GoogleServer(away)
    with pytest.raises(TokenUnavailable, match="cannot be reached"):
        tokens_of(login, transport=server)()


def test_a_key_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    (tmp_path / "worse.json").write_text("no json")
    for name in ("no.json", "bad.json", "worse.json"):
        with pytest.raises(TokenUnavailable, match=name):
            tokens_of(Google(tmp_path / name))()
