"""Who may order: one address, on the list, vouched for by the host we trust."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from mpms.factory.domain.order_mail import Catalogue, Outcome, RememberedMail, Senders
from mpms.factory.domain.order_mail.reading import read_order_mail

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
ADDRESS = "orders@brightcoat.example.com"
DOMAIN = "brightcoat.example.com"


@pytest.mark.parametrize(
    "from_field",
    [
        f"From: {ADDRESS}",
        f"From: <{ADDRESS}>",
        f"FROM: Orders <{ADDRESS}>",
        f'From: "Porter, Sam (buyer)" <{ADDRESS}>',
        f"From: {ADDRESS} (Sam Porter)",
        f"From: {ADDRESS} <{ADDRESS}>",
        f'From: "thief@elsewhere.example.net" <{ADDRESS}>',
        "From: Orders\r\n\t<Orders@BrightCoat.Example.COM>",
        f"From: =?utf-8?Q?J=C3=B6rg?= <{ADDRESS}>",
        f"From: J\u00f6rg <{ADDRESS}>",
    ],
)
def test_one_address_is_found_in_every_usual_form(
    from_field: str, build: Build, read: Read
) -> None:
    outcome = read(build(from_field=from_field))
    assert (outcome.outcome, outcome.sender) == ("accepted", ADDRESS)


@pytest.mark.parametrize(
    "from_field",
    [
        "X-Nothing: here",
        "From:",
        "From: nobody",
        f"From: {ADDRESS}, einkauf@nordfarben.example.org",
        f"From: {ADDRESS}\r\nFrom: {ADDRESS}",
        f"From: {ADDRESS}\r\nfrom : thief@elsewhere.example.net",
        f"From: {ADDRESS}\rFrom: thief@elsewhere.example.net",
        f"From: Group: {ADDRESS};",
        f"From: thief@elsewhere.example.net <{ADDRESS}>",
        f"From: <{ADDRESS}> <thief@elsewhere.example.net>",
        f"From: <{ADDRESS}> and more",
        f'From: "{ADDRESS}"',
        f"From: (comment {ADDRESS}",
        f"From: {'(' * 5000}{ADDRESS}",
        f"From: {ADDRESS}@elsewhere.example.net",
        "From: orders @brightcoat.example.com",
        f"From: {'a' * 40_000}@brightcoat.example.com",
    ],
)
def test_a_doubtful_sender_is_refused_without_a_reply(
    from_field: str, build: Build, read: Read
) -> None:
    outcome = read(build(from_field=from_field))
    assert outcome.codes == ("malformed_sender",)
    assert outcome.reply == "none"


def test_a_letter_that_only_looks_alike_is_another_address(
    build: Build, read: Read
) -> None:
    kelvin = "einkauf@nordfarben.example.org".replace("k", "\u212a")
    outcome = read(build(sender=kelvin))
    assert "sender_not_allowed" in outcome.codes


OURS = "Authentication-Results: mx.plant.example.com"


@pytest.mark.parametrize(
    "auth_result",
    [
        f"{OURS}; dmarc=pass header.from={DOMAIN}",
        f"{OURS}; dkim=pass header.d={DOMAIN}",
        f"{OURS} 1; dkim/1=pass header.d={DOMAIN.upper()}",
        f"{OURS.upper()};\r\n dmarc = pass (p=none) header.from = {DOMAIN}",
        f"{OURS}; dkim=fail header.d={DOMAIN}; dkim=pass header.d={DOMAIN}",
        f'{OURS}; dmarc=pass header.from="{DOMAIN}"',
        f"{OURS}; dkim=pass header.i=@{DOMAIN} header.s=s1",
        f"Authentication-Results: other.example; none\r\n{OURS};"
        f" dmarc=pass header.from={DOMAIN}",
        f"ARC-Authentication-Results: i=1; {DOMAIN}; dmarc=fail\r\n{OURS};"
        f" dmarc=pass header.from={DOMAIN}",
    ],
)
def test_the_trusted_host_can_vouch_in_many_forms(
    auth_result: str, build: Build, read: Read
) -> None:
    assert read(build(auth_result=auth_result + "\r\n")).outcome == "accepted"


@pytest.mark.parametrize(
    "auth_result",
    [
        "",
        f"{OURS}; none",
        f"{OURS}; spf=pass smtp.mailfrom={ADDRESS}",
        f"{OURS}; dmarc=pass",
        f"{OURS}; dmarc=pass header.from=elsewhere.example.net",
        f"{OURS}; dmarc=pass header.from=x.{DOMAIN}",
        f"{OURS}; dkim=pass header.d=elsewhere.example.net",
        f"{OURS}; dkim=pass header.d=elsewhere.example.net header.i=@{DOMAIN}",
        f"{OURS}; dkim=none (dkim=pass header.d={DOMAIN})",
        f"{OURS}; dkim=none (nested (dkim) ; dmarc=pass header.from={DOMAIN})",
        f'{OURS}; spf=fail smtp.mailfrom="a; dmarc=pass header.from={DOMAIN} "@e.net',
        f'{OURS}; spf=fail smtp.mailfrom="a\\"; dmarc=pass header.from={DOMAIN}"@e.net',
        f"{OURS}; dmarc=fail header.from={DOMAIN}; dmarc=pass header.from={DOMAIN}",
        f"{OURS}; dmarc=pass header.from={DOMAIN} header.from=elsewhere.example.net",
        f"{OURS}.evil; dmarc=pass header.from={DOMAIN}",
        f"Authentication-Results: other.example; dmarc=pass header.from={DOMAIN}",
        f"Authentication-Results: dmarc=pass header.from={DOMAIN}",
        f"{OURS}; dmarc=fail header.from={DOMAIN}\r\n{OURS};"
        f" dmarc=pass header.from={DOMAIN}",
        f"{OURS}; dmarc=fail (unfinished\r\n{OURS}; dmarc=pass header.from={DOMAIN}",
        f"{OURS}; auth=pass smtp.auth={ADDRESS}",
    ],
)
def test_no_other_words_make_a_sender_trusted(
    auth_result: str, build: Build, read: Read
) -> None:
    outcome = read(build(auth_result=auth_result + "\r\n" if auth_result else ""))
    assert outcome.codes == ("sender_not_authenticated",)
    assert (outcome.reply, outcome.trusted) == ("none", False)


GOOGLE = (
    "Authentication-Results: mx.google.com;\r\n"
    f"       dkim=pass header.i=@{DOMAIN} header.s=s1 header.b=Qk3xT1;\r\n"
    f"       spf=pass (google.com: domain of {ADDRESS} designates 192.0.2.17 as"
    f" permitted sender) smtp.mailfrom={ADDRESS};\r\n"
    f"       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from={DOMAIN}\r\n"
)
MICROSOFT = (
    "Authentication-Results: spf=pass (sender IP is 192.0.2.17)\r\n"
    f" smtp.mailfrom={DOMAIN}; dkim=pass (signature was verified)\r\n"
    f" header.d={DOMAIN};dmarc=pass action=none\r\n"
    f" header.from={DOMAIN};compauth=pass reason=100\r\n"
)


def read_with(raw: bytes, catalogue: Catalogue, senders: Senders) -> Outcome:
    return read_order_mail(raw, catalogue, senders, RememberedMail())


def test_googles_results_count_where_google_is_trusted(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    raw = build(auth_result=GOOGLE)
    google = replace(senders, trusted_authserv_id="mx.google.com")
    assert read_with(raw, catalogue, google).outcome == "accepted"
    assert read_with(raw, catalogue, senders).outcome == "rejected"


def test_microsofts_nameless_results_count_only_on_top_and_only_if_configured(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    microsoft = replace(
        senders, trusted_authserv_id=None, authentication_form="microsoft365"
    )
    above = "Authentication-Results: relay.example; none\r\n"
    failed = MICROSOFT.replace("=pass", "=fail")
    assert read_with(build(auth_result=MICROSOFT), catalogue, microsoft).trusted
    assert not read_with(build(auth_result=MICROSOFT), catalogue, senders).trusted
    for said in (above + MICROSOFT, failed + MICROSOFT, failed, ""):
        assert not read_with(build(auth_result=said), catalogue, microsoft).trusted


def test_a_login_at_our_own_server_counts_only_if_configured_and_only_for_itself(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    own = replace(senders, accept_smtp_auth=True)
    login = f"{OURS}; auth=pass smtp.auth={ADDRESS}\r\n"
    other = f"{OURS}; auth=pass smtp.auth=einkauf@nordfarben.example.org\r\n"
    assert read_with(build(auth_result=login), catalogue, own).outcome == "accepted"
    assert read_with(build(auth_result=other), catalogue, own).outcome == "rejected"


def test_a_domain_proven_by_our_own_check_needs_no_result(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    raw = build(auth_result="")
    for proven, trusted in ((DOMAIN, True), ("elsewhere.example.net", False)):
        outcome = read_order_mail(
            raw, catalogue, senders, RememberedMail(), proven_domains=[proven]
        )
        assert outcome.trusted is trusted


@pytest.mark.parametrize(
    ("extra", "ignored"),
    [
        ("Auto-Submitted: auto-replied\r\n", True),
        ("Auto-Submitted: auto-generated; owner=x\r\n", True),
        ("Auto-Submitted: no (typed by hand)\r\n", False),
        ("Precedence: BULK\r\n", True),
        ("Precedence: first-class\r\n", False),
        ("List-Id: <x>\r\n", False),
    ],
)
def test_what_a_program_sent_is_ignored(
    extra: str, ignored: bool, build: Build, read: Read
) -> None:
    outcome = read(build(extra=extra))
    assert outcome.outcome == ("ignored" if ignored else "accepted")


def test_only_a_message_that_is_really_too_large_is_refused_for_it(
    build: Build, read: Read
) -> None:
    pdf = "Content-Disposition: attachment; filename=a; size=99999999999\r\n"
    assert read(build(extra=pdf)).codes != ("too_large",)
    padding = b"\r\n" + b"x" * (25 << 20)
    large = read(build() + padding)
    assert (large.codes, large.reply) == (("too_large",), "rejection")
    forged = read(build(auth_result="") + padding)
    assert (forged.codes, forged.reply) == (("too_large",), "none")


FORGED = f"{OURS}; dmarc=pass header.from={DOMAIN}\r\n"
HOP = "Received: from elsewhere.example.net by mx.plant.example.com; today\r\n"


def test_results_below_the_first_received_may_be_the_senders_own(
    build: Build, read: Read
) -> None:
    assert read(build(auth_result=FORGED + HOP)).trusted
    forged = read(build(auth_result=HOP + FORGED))
    assert [reason.code for reason in forged.reasons] == ["sender_not_authenticated"]


def test_a_host_that_adds_its_received_last_is_known_or_set(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    google = f"Authentication-Results: mx.google.com; dmarc=pass header.from={DOMAIN}"
    for changed, result in (
        (replace(senders, results_below_received=True), FORGED),
        (replace(senders, trusted_authserv_id="mx.google.com"), f"{google}\r\n"),
    ):
        raw = build(auth_result=HOP + result)
        assert read_order_mail(raw, catalogue, changed, RememberedMail()).trusted
        again = Senders.from_json(changed.to_json())
        assert again.host_adds_received_last


@pytest.mark.parametrize(
    "verdict",
    [f"dkim=pass header.d={DOMAIN}", f"dmarc=pass header.from={DOMAIN}"],
)
@pytest.mark.parametrize("tag", ["l=10", " l = 10", "L=0"])
def test_a_signature_over_a_part_counts_for_nothing_whatever_the_host_says(
    build: Build, read: Read, verdict: str, tag: str
) -> None:
    signed = f"DKIM-Signature: v=1; d={DOMAIN};{tag}; bh=eA==; b=eA==\r\n"
    raw = build(auth_result=f"{OURS}; {verdict}\r\n", extra=signed)
    assert [one.code for one in read(raw).reasons] == ["sender_not_authenticated"]
    whole = signed.replace(f"{tag};", "")
    assert read(build(auth_result=f"{OURS}; {verdict}\r\n", extra=whole)).trusted
