"""Nobody makes our worker post into its own network."""

from __future__ import annotations

import pytest

from mpms.domain.alerts.push_endpoints import EndpointRefused, check_endpoint


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/abc:DEF_-",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAA?x=1",
        "https://web.push.apple.com:443/QJ",
        "https://8.8.8.8/push",
    ],
)
def test_push_services_of_the_internet_are_posted_to(endpoint: str) -> None:
    assert check_endpoint(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "push",
        "http://fcm.googleapis.com/x",
        "ftp://fcm.googleapis.com/x",
        "https://",
        "https://localhost/x",
        "https://127.0.0.1/x",
        "https://127.1/x",
        "https://2130706433/x",
        "https://0x7f000001/x",
        "https://0x7f.1/x",
        "https://10.0.0.7/x",
        "https://192.168.1.1/x",
        "https://172.16.3.4/x",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/x",
        "https://0.0.0.0/x",
        "https://224.0.0.1/x",
        "https://[::1]/x",
        "https://[fe80::1]/x",
        "https://[fd00::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://[64:ff9b::a00:1]/x",
        "https://[2002:a00:1::]/x",
        "https://printer/x",
        "https://nas.local/x",
        "https://db.internal/x",
        "https://router.lan./x",
        "https://user:secret@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com:99999/x",
        "https://fcm.googleapis.com/x#y",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com\\@10.0.0.1/x",
        "https://fcm.googleapis.com/x\r\nHost: inside",
        "https://fcm.googleapis.com/" + "x" * 3000,
        "https://fcm.googleäpis.com/x",
    ],
)
def test_what_leads_elsewhere_is_refused(endpoint: str) -> None:
    with pytest.raises(EndpointRefused):
        check_endpoint(endpoint)
