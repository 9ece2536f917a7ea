"""The whole site, and programs that hold tokens of each role."""

from __future__ import annotations

import json
from typing import Any

from mpms.domain.people.people import Role
from mpms.services.api.manage_tokens import NewToken, add_token
from tests.support.drawings import in_a_row, job
from tests.support.site import Answer, Browser, Workshop, browser_of, pages_of

API = "/api/v1"


class Program:
    """A client with a token."""

    def __init__(self, client: Browser, secret: str | None) -> None:
        self._client = client
        self.secret = secret

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        **more: Any,
    ) -> Answer:
        headers = dict(more.pop("headers", {}))
        if self.secret is not None:
            headers["Authorization"] = f"Bearer {self.secret}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            more |= {"data": json.dumps(body), "content_type": "application/json"}
        return self._client.open(API + path, method=method, headers=headers, **more)

    def get(self, path: str, **query: Any) -> Any:
        answer = self("GET", path, query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        answer = self("POST", path, body, **more)
        assert answer.status_code in (200, 201, 204), answer.text
        return answer.json if answer.data else None


class Plant(Workshop):
    """A site and its programs."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._made: dict[str, NewToken] = {}

    def change(self, **parts: Any) -> None:
        """From now on the pages have these parts."""
        self._app = pages_of(self.desk(**parts))

    def token(self, role: Role | str, name: str | None = None) -> NewToken:
        called = name or f"robot-{role}"
        if called not in self._made:
            self._made[called] = add_token(
                self.uow, self.clock, called, Role(role), by="test"
            )
        return self._made[called]

    def program(
        self, role: Role | str = Role.ADMIN, name: str | None = None
    ) -> Program:
        return self.with_token(self.token(role, name).secret)

    def with_token(self, secret: str | None) -> Program:
        return Program(browser_of(self.app()), secret)

    def deploy(self, key: str = "papers", last: str = "file") -> None:
        self.deploy_files(
            in_a_row(
                key,
                f"begin look print {last} over",
                print=job("print", "print", name="Print"),
                **{last: f'<userTask id="{last}" name="File"/>'},
            )
        )

    def start_papers(self, **variables: Any) -> str:
        return self.start("papers", "K-papers", **variables)
