"""Access tokens for mail servers that no longer take passwords.

A token is fetched anew before every connection and never kept: one that was revoked
must not be tried again, and one that is stored can be stolen. The libraries of
Microsoft and Google are large and most plants use neither: the first token loads its.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mpms.adapters.mail_account import (
    Google,
    Login,
    Microsoft,
    Tokens,
    TokenUnavailable,
)

if TYPE_CHECKING:
    import requests

TIMEOUT_S = 30.0


def token_source(
    login: Login | None,
    user: str,
    *,
    http_client: Any = None,
    transport: Any = None,
) -> Tokens | None:
    """Return what fetches tokens for this login, None if a password is enough.

    ``http_client`` (Microsoft, as msal wants it) and ``transport`` (Google, as
    google-auth wants it) replace the network.
    """
    match login:
        case Microsoft():
            return lambda: microsoft_token(login, http_client)
        case Google():
            return lambda: google_token(login, user, transport)
        case _:
            return None


def microsoft_token(login: Microsoft, http_client: Any = None) -> str:
    """Fetch a token with the application's own secret. TokenUnavailable."""
    import msal
    import requests

    whom = f"Microsoft refused a token for the application {login.client_id}"
    session = None if http_client is not None else requests.Session()
    try:
        application = msal.ConfidentialClientApplication(
            login.client_id,
            client_credential=login.client_secret,
            authority=f"{login.authority}/{login.tenant}",
            instance_discovery=False,
            http_client=http_client if session is None else _Patient(session),
        )
        answer = application.acquire_token_for_client([login.scope])
    except requests.RequestException as error:
        raise TokenUnavailable(
            f"{login.authority} cannot be reached: {_short(error)}"
        ) from error
    except Exception as error:  # msal raises what the answer happens to break
        raise TokenUnavailable(f"{whom}: {_short(error)}") from error
    finally:
        if session is not None:
            session.close()
    token = answer.get("access_token") if answer else None
    if not token:
        why = (answer or {}).get("error_description") or (answer or {}).get("error")
        raise TokenUnavailable(f"{whom}: {_short(why or 'no reason given')}")
    return str(token)


def google_token(login: Google, user: str, transport: Any = None) -> str:
    """Fetch a token to act as ``user`` with a service account. TokenUnavailable."""
    import google.auth.exceptions
    import google.auth.transport.requests
    import requests
    from google.oauth2 import service_account

    try:
        account: Any = service_account.Credentials
        credentials = account.from_service_account_file(
            str(login.key_file), scopes=[login.scope], subject=user
        )
    except (OSError, ValueError) as error:
        raise TokenUnavailable(
            f"the service account file {login.key_file} cannot be used: {_short(error)}"
        ) from error
    session = None if transport is not None else requests.Session()
    try:
        credentials.refresh(
            transport or google.auth.transport.requests.Request(session)
        )
    except google.auth.exceptions.TransportError as error:
        raise TokenUnavailable(
            f"Google's token service cannot be reached: {_short(error)}"
        ) from error
    except google.auth.exceptions.GoogleAuthError as error:
        raise TokenUnavailable(
            f"Google refused a token for {user}: {_short(error)}"
        ) from error
    finally:
        if session is not None:
            session.close()
    return str(credentials.token)


class _Patient:
    """A session that gives up in the end; requests alone would wait for ever."""

    def __init__(self, session: requests.Session) -> None:
        self._session = session

    def post(self, url: str, **options: Any) -> requests.Response:
        return self._session.post(url, timeout=TIMEOUT_S, **options)

    def get(self, url: str, **options: Any) -> requests.Response:
        return self._session.get(url, timeout=TIMEOUT_S, **options)

    def close(self) -> None:
        self._session.close()


def _short(reason: object) -> str:
    lines = str(reason).strip().splitlines() or [type(reason).__name__]
    return lines[0][:300]
