"""Hostile messages against the reader's child process: rejected, and life goes on."""

import base64
import io
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mpms.factory.adapters.mail.sandbox import MailSandbox, SandboxUnavailable
from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import (
    Catalogue,
    Outcome,
    RememberedMail,
    Senders,
    settle,
)
from mpms.factory.domain.order_mail.reading import read_undecided
from mpms.factory.domain.order_mail.showing import LONGEST_SHOWN, MailText, read_text

ROOT = Path(__file__).resolve().parents[2]
ORDERS = ROOT / "tests" / "data" / "orders"
GOOD = (ORDERS / "01_plain_english.eml").read_bytes()
CPU_LIMIT_S = 5
MEMORY_LIMIT_KB = 300 * 1024


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.from_json((ORDERS / "catalogue.json").read_bytes())


@pytest.fixture(scope="module")
def senders() -> Senders:
    return Senders.from_json((ORDERS / "senders.json").read_bytes())


@pytest.fixture(scope="module")
def sandbox(catalogue: Catalogue, senders: Senders) -> Iterator[MailSandbox]:
    with MailSandbox(catalogue, senders) as started:
        yield started


def message(
    body: bytes = b"Materials:\r\nWater 5 kg\r\n",
    *,
    from_field: bytes = b"From: orders@brightcoat.example.com",
    subject: bytes = b"MO-2026-0901",
    content_type: bytes = b"text/plain",
) -> bytes:
    return b"\r\n".join(
        [
            b"Authentication-Results: mx.plant.example.com;"
            b" dmarc=pass header.from=brightcoat.example.com",
            from_field,
            b"Subject: " + subject,
            b"Content-Type: " + content_type,
            b"",
            body,
        ]
    )


def with_file(name: bytes, content: bytes) -> bytes:
    body = (
        b"--b\r\nContent-Disposition: attachment; filename=" + name + b"\r\n"
        b"Content-Type: application/octet-stream\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n"
        + base64.encodebytes(content)
        + b"--b--\r\n"
    )
    return message(body, content_type=b"multipart/mixed; boundary=b")


def nested(depth: int) -> bytes:
    lines = []
    for level in range(depth):
        lines += [b"--b%d" % level]
        lines += [b"Content-Type: multipart/mixed; boundary=b%d" % (level + 1), b""]
    body = b"\r\n".join([*lines, b"--b%d" % depth, b"", b"deep", b""])
    return message(body, content_type=b"multipart/mixed; boundary=b0")


def zip_bomb() -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/workbook.xml", "w", force_zip64=True) as member,
    ):
        for _ in range(200):
            member.write(b"<a>" * (1 << 18))
    return packed.getvalue()


def corner_workbook() -> bytes:
    """A few hundred bytes for which a reader would make room of 500 GB."""
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = '<a><b Id="i" Type="{}/{}" Target="{}"/></a>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {
            "_rels/.rels": relation.format(kinds, "officeDocument", "xl/w.xml"),
            "xl/_rels/w.xml.rels": relation.format(kinds, "worksheet", "s.xml"),
            "xl/w.xml": f'<workbook xmlns:r="{kinds}"><sheets>'
            '<sheet name="A" r:id="i"/></sheets></workbook>',
            "xl/s.xml": '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
            '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
            "</sheetData></worksheet>",
        }.items():
            archive.writestr(name, content)
    return packed.getvalue()


# Made when wanted: all of them together have 40 MB.
HOSTILE: dict[str, Callable[[], bytes]] = {
    "a Subject of 2 MB": lambda: message(subject=b"MO-2026-0901 " + b"a b " * 500_000),
    "an encoded Subject of 2 MB": lambda: message(subject=b"=?utf-8?q?a?= " * 150_000),
    "2,000 nested multiparts": lambda: nested(2000),
    "5,000 parentheses in From": lambda: message(
        from_field=b"From: " + b"(" * 5000 + b"orders@brightcoat.example.com"
    ),
    "5,000 closed comments in From": lambda: message(
        from_field=b"From: " + b"(" * 5000 + b")" * 5000
    ),
    "a zip bomb": lambda: with_file(b"o.xlsx", zip_bomb()),
    "a workbook with one cell in its last corner": lambda: with_file(
        b"o.xlsx", corner_workbook()
    ),
    "a NUL byte": lambda: message(b"Materials:\r\nWater 5 kg\0\r\n"),
    "a file name that points elsewhere": lambda: with_file(
        b'"../../etc/cron.d/o.csv"', b"code,qty,unit\r\nRM-001,5,kg\r\n"
    ),
    "100,000 parts": lambda: message(
        b"--b\r\n\r\nx\r\n" * 100_000 + b"--b--",
        content_type=b"multipart/x; boundary=b",
    ),
    "300,000 header fields": lambda: b"X: y\r\n" * 300_000 + message(),
    "a JSON file of brackets": lambda: with_file(b"o.json", b"[" * 1_000_000),
    "HTML of open tags": lambda: message(b"<div>" * 200_000, content_type=b"text/html"),
    "HTML of open comments": lambda: message(
        b"<!--" * 500_000, content_type=b"text/html"
    ),
    "HTML of open quotes": lambda: message(
        b'<a b="' * 300_000, content_type=b"text/html"
    ),
    "a text of 10 MB": lambda: message(b"Materials:\r\n" + b"Water 1 kg\r\n" * 800_000),
    "a line of 2 MB": lambda: message(b"Materials:\r\n" + b"1 " * 1_000_000),
    "a CSV of one long field": lambda: with_file(
        b"o.csv", b"code,qty\n" + b"x" * 1_900_000
    ),
    "a charset that decompresses": lambda: message(
        b"x\x9c\x03\0", content_type=b"text/plain; charset=zlib"
    ),
    "nothing": lambda: b"",
}


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status_kb(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise AssertionError(f"{name} is not in the status of {pid}")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_is_rejected_and_the_next_one_is_read(
    name: str, sandbox: MailSandbox
) -> None:
    assert sandbox.read(GOOD).outcome == "accepted"
    pid = sandbox.child_pid
    assert pid is not None
    used_before_s = cpu_s(pid)
    outcome = sandbox.read(HOSTILE[name]())
    assert outcome.outcome == "rejected", outcome.order
    if sandbox.child_pid == pid:
        assert cpu_s(pid) - used_before_s <= CPU_LIMIT_S
        assert status_kb(pid, "VmHWM") < MEMORY_LIMIT_KB
    assert sandbox.read(GOOD).outcome == "accepted"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_that_was_stored_is_shown_in_the_child(
    name: str, sandbox: MailSandbox
) -> None:
    sandbox.show(GOOD)
    pid = sandbox.child_pid
    assert pid is not None
    used_before_s = cpu_s(pid)
    shown = sandbox.show(HOSTILE[name]())
    assert len(shown.text or "") <= LONGEST_SHOWN
    if sandbox.child_pid == pid:
        assert cpu_s(pid) - used_before_s <= CPU_LIMIT_S
        assert status_kb(pid, "VmHWM") < MEMORY_LIMIT_KB
    assert "Materials" in (sandbox.show(GOOD).text or "")


def test_the_sandbox_shows_every_sample_as_the_reader_does(
    sandbox: MailSandbox,
) -> None:
    for path in sorted(ORDERS.glob("*.eml")):
        raw = path.read_bytes()
        assert sandbox.show(raw) == read_text(raw), path.name
        assert sandbox.show(raw).text, path.name


def test_a_child_that_dies_of_a_stored_message_leaves_the_pages_alive(
    catalogue: Catalogue, senders: Senders
) -> None:
    with MailSandbox(catalogue, senders) as fresh:
        fresh.show(GOOD)
        assert fresh.child_pid is not None
        needed_mb = status_kb(fresh.child_pid, "VmSize") // 1024 + 1
    with MailSandbox(catalogue, senders, memory_mb=needed_mb + 10) as tight:
        assert tight.show(GOOD).text
        assert tight.show(message() + b"\r\nx" * (8 << 20)) == MailText()
        assert tight.show(GOOD).text


def test_the_sandbox_reads_every_sample_as_the_reader_does(
    sandbox: MailSandbox, catalogue: Catalogue, senders: Senders
) -> None:
    for path in sorted(ORDERS.glob("*.eml")):
        raw = path.read_bytes()
        expected = read_undecided(raw, catalogue, senders, read_workbook=read_workbook)
        assert sandbox.read(raw) == expected, path.name


def test_repeats_are_decided_by_the_parent(sandbox: MailSandbox) -> None:
    memory = RememberedMail()
    outcomes: list[Outcome] = []
    for _ in range(2):
        outcomes.append(settle(sandbox.read(GOOD), memory))
        memory.remember(outcomes[-1])
    assert [o.outcome for o in outcomes] == ["accepted", "ignored"]


def test_a_proven_domain_reaches_the_child(sandbox: MailSandbox) -> None:
    raw = message().partition(b"\r\n")[2]
    assert not sandbox.read(raw).trusted
    assert sandbox.read(raw, proven_domains=["brightcoat.example.com"]).trusted


def test_a_message_above_the_limit_is_measured_by_its_true_size(
    sandbox: MailSandbox,
) -> None:
    large = sandbox.read(message() + b"x" * (26 << 20))
    assert (large.codes, large.reply) == (("too_large",), "rejection")


def test_a_child_that_hangs_is_replaced(catalogue: Catalogue, senders: Senders) -> None:
    with MailSandbox(catalogue, senders, wall_s=1.0) as sandbox:
        assert _read_until_accepted(sandbox)
        hanging = sandbox.child_pid
        assert hanging is not None
        os.kill(hanging, signal.SIGSTOP)
        outcome = sandbox.read(GOOD)
        assert (outcome.codes, outcome.reply) == (("unreadable_message",), "none")
        assert _read_until_accepted(sandbox)
        assert sandbox.child_pid != hanging


def _read_until_accepted(sandbox: MailSandbox) -> bool:
    """With a limit this short, a busy machine may need more than one try."""
    return any(sandbox.read(GOOD).outcome == "accepted" for _ in range(30))


def test_a_child_killed_from_outside_costs_no_message(
    catalogue: Catalogue, senders: Senders
) -> None:
    with MailSandbox(catalogue, senders) as sandbox:
        for _ in range(3):
            assert sandbox.read(GOOD).outcome == "accepted"
            pid = sandbox.child_pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
        assert sandbox.read(GOOD).outcome == "accepted"


def test_a_child_that_needs_too_much_memory_rejects_only_that_message(
    catalogue: Catalogue, senders: Senders, sandbox: MailSandbox
) -> None:
    assert sandbox.read(GOOD).outcome == "accepted"
    with MailSandbox(catalogue, senders) as fresh:
        fresh.read(GOOD)
        assert fresh.child_pid is not None
        needed_mb = status_kb(fresh.child_pid, "VmSize") // 1024 + 1
    with MailSandbox(catalogue, senders, memory_mb=needed_mb + 10) as tight:
        assert tight.read(GOOD).outcome == "accepted"
        large = tight.read(message() + b"\r\nx" * (8 << 20))
        assert large.codes == ("unreadable_message",)
        assert tight.read(GOOD).outcome == "accepted"


def test_a_child_that_computes_too_long_is_ended_by_the_kernel() -> None:
    program = (
        "from mpms.adapters.walled_child.inside import limit_cpu\n"
        "limit_cpu(1)\n"
        "while True: pass\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=120, check=False
    )
    assert ended.returncode == -signal.SIGXCPU


def test_a_child_is_replaced_after_its_share_of_messages(
    catalogue: Catalogue, senders: Senders
) -> None:
    with MailSandbox(catalogue, senders, messages_per_child=2) as sandbox:
        pids = []
        for _ in range(4):
            assert sandbox.read(GOOD).outcome == "accepted"
            pids.append(sandbox.child_pid)
        assert pids[0] == pids[1] != pids[2] == pids[3]
        sandbox.close()
        assert sandbox.child_pid is None
        assert sandbox.read(GOOD).outcome == "accepted"


def test_threads_may_share_a_sandbox(sandbox: MailSandbox) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(sandbox.read, [GOOD, message()] * 10))
    numbers = [outcome.number for outcome in outcomes]
    assert numbers == ["MO-2026-0101", "MO-2026-0901"] * 10


def test_a_sandbox_that_cannot_start_says_so(
    catalogue: Catalogue, senders: Senders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with (
        MailSandbox(catalogue, senders) as sandbox,
        pytest.raises(SandboxUnavailable, match="could not be started"),
    ):
        sandbox.read(GOOD)
