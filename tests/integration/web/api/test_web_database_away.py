"""While the database is away, no page breaks: each says so, or needs none."""

from __future__ import annotations

import pytest

from mpms.adapters.postgres.database.connections import Connections
from mpms.domain.errors import DatabaseAway
from mpms.domain.people.people import Role
from tests.support.web_api import Plant

WITHOUT_ANSWER = {200, 204, 303, 308, 401, 404, 501}  # need no database, or are none


def test_every_page_and_operation_says_503_while_the_database_is_away(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant.person("boss", Role.ADMIN)
    browser = plant.browser_of("boss")
    secret = plant.token(Role.ADMIN).secret

    def away(self: Connections) -> None:
        raise DatabaseAway("nobody at /run/secret/.s.PGSQL.5432")

    routes = [
        rule.build({name: "1" for name in rule.arguments}, append_unknown=False)
        for rule in plant.app().url_map.iter_rules()
        if "GET" in (rule.methods or ())
    ]
    paths = sorted({built[1] for built in routes if built is not None})
    monkeypatch.setattr(Connections, "_borrow", away)
    wrong = {}
    said = 0
    for path in paths:
        headers = (
            {"Authorization": f"Bearer {secret}"}
            if path.startswith(("/api/", "/engine-rest", "/v2"))
            else {}
        )
        told = browser.get(path, headers=headers)
        said += told.status_code == 503
        if told.status_code not in WITHOUT_ANSWER | {503}:
            wrong[path] = told.status_code
        if "/run/secret" in told.get_data(as_text=True):
            wrong[path] = -told.status_code
    assert wrong == {}
    assert said > 100
