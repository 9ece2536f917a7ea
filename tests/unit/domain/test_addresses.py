"""An address that leads into the plant's network is told, however it is written."""

from __future__ import annotations

import pytest

from mpms.domain.addresses import ip_address, is_public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("224.0.0.1", False),
        ("255.1.1.1", False),
        ("::", False),
        ("::1", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("fec0::1", False),
    ],
)
def test_what_is_of_the_internet(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("::ffff:8.8.8.8", True),
        ("::ffff:10.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("::127.0.0.1", False),
        ("::8.8.8.8", False),
        ("64:ff9b::808:808", True),
        ("64:ff9b::a00:1", False),
        ("64:ff9b:1::a00:1", False),
        ("64:ff9b:1::808:808", False),
        ("64:ff9b:1:ffff::1", False),
        ("2002:808:808::1", True),
        ("2002:a00:1::1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:f5ff:fffe", False),
    ],
)
def test_addresses_that_hide_an_inner_one_are_checked_by_it(
    address: str, public: bool
) -> None:
    assert is_public(ip_address(address)) is public


def test_a_name_is_no_address() -> None:
    with pytest.raises(ValueError, match=r"hooks\.example"):
        ip_address("hooks.example")


@pytest.mark.parametrize(
    "text",
    [
        *("100:0:0:1::1", "3fff::1", "5f00::1", "::ffff:0:10.0.0.1", "4000::1"),
        *("2001:1::1", "192.88.99.1", "192.0.0.9", "1::1"),
    ],
)
def test_what_the_registries_set_apart_is_no_address_of_the_internet(text: str) -> None:
    assert not is_public(ip_address(text))
