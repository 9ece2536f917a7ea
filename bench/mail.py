"""How fast orders come in by mail, and how little memory a large message takes.

    python bench/mail.py [--rounds 40]

Needs no set-up: it starts a PostgreSQL with fsync on and the embedded mail servers.
``messages_per_s``: the sample messages, repeated with fresh identities, from the IMAP
server to the committed order. ``smtp_to_instance_s``: from the SMTP server's OK to the
warehouse process existing, woken by IDLE. ``peak_mb_20mb_mail``: the larger of the
worker and its reading child. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg2

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mpms import assets, bootstrap  # noqa
from mpms.adapters.mail_account import Password, Security, SmtpAccount  # noqa: E402
from mpms.adapters.smtp import SmtpSender  # noqa: E402
from mpms.bootstrap.mail import embedded_desk  # noqa: E402
from mpms.embedded import mail, postgres  # noqa: E402
from mpms.embedded.mail import MailServers  # noqa: E402
from mpms.embedded.smtp_server import drop_into  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from mpms.factory.settings import with_factory  # noqa: E402
from mpms.settings import Settings  # noqa: E402
from mpms.cli.work import running_worker  # noqa: E402

DATA = ROOT / "tests" / "data" / "orders"
BUYER = "orders@brightcoat.example.com"
LARGE_BYTES = 20 * 1000 * 1000
FILES: dict[str, Any] = {
    "catalogue": DATA / "catalogue.json",
    "senders": DATA / "senders.json",
}
NUMBER = re.compile(rb"MO-2026-(01\d\d)")
BASE64_BLOCK = re.compile(
    rb"(?m)^(?:[A-Za-z0-9+/]{40,}\r?\n)+(?:[A-Za-z0-9+/=]+\r?\n)?"
)
ENCODED_WORD = re.compile(rb"(=\?utf-8\?b\?)([^?]*)(\?=)", re.IGNORECASE)
MESSAGE_ID = re.compile(rb"(?im)^(message-id: <)")
TRUSTED = "mx.plant.example.com"


def fresh(raw: bytes, turn: int) -> bytes:
    """The same message under another identity and order number."""

    def renumber(text: bytes) -> bytes:
        return NUMBER.sub(rb"MO-%04d-\1" % (3000 + turn), text)

    def inside(word: re.Match[bytes]) -> bytes:
        text = renumber(base64.b64decode(word[2]))
        return word[1] + base64.b64encode(text) + word[3]

    def inside_block(block: re.Match[bytes]) -> bytes:
        decoded = base64.b64decode(block[0])
        if not NUMBER.search(decoded):
            return block[0]
        return base64.encodebytes(renumber(decoded)).replace(b"\n", b"\r\n")

    renamed = MESSAGE_ID.sub(rb"\g<1>turn%d." % turn, raw, count=1)
    renamed = BASE64_BLOCK.sub(inside_block, renamed)
    return renumber(ENCODED_WORD.sub(inside, renamed))


def measure_intake(url: str, servers: MailServers, rounds: int) -> float:
    """Messages a second from a full inbox into the database."""
    expected = json.loads((DATA / "expected.json").read_text())["messages"]
    samples = [(DATA / entry["file"]).read_bytes() for entry in expected]
    inbox = servers.mailboxes / servers.home.orders
    for turn in range(rounds):
        for raw in samples:
            drop_into(inbox, fresh(raw, turn))
    services = bootstrap.connect(url)
    desk = embedded_desk(with_factory(Settings(), **FILES), servers.home)
    intake = desk.intake(services.uow, services.engine)
    mails = 0
    try:
        desk.sandbox.read(samples[0])  # starting the child is no message's cost
        started_at = time.perf_counter()
        while mails < rounds * len(samples):
            read, _ = intake()
            assert read, "the inbox is empty too early"
            mails += read
        took_s = time.perf_counter() - started_at
        with services.uow() as tx:
            counts = tx.mails.counts()
    finally:
        desk.close()
        services.close()
    wanted = Counter(entry["outcome"] for entry in expected)
    assert counts == {outcome: n * rounds for outcome, n in wanted.items()}, counts
    return mails / took_s


def measure_latency(url: str, servers: MailServers, orders: int) -> list[float]:
    """Seconds from the SMTP server's OK to the warehouse process of the order."""
    settings = with_factory(Settings(poll_s=1.0), **FILES)
    services = bootstrap.connect(url)
    deploy_models(services.uow, services.engine, assets.shipped_models(), by="bench")
    with services.uow() as tx:
        start_instance(tx, services.advance, "orders_handling", actor="bench")
    home = servers.home
    login = Password(home.password(BUYER))
    buyer = SmtpSender(
        SmtpAccount(home.host, home.smtp_port, Security.PLAIN, BUYER, BUYER, login)
    )
    pause = random.Random(1)
    found: list[float] = []
    desk = embedded_desk(settings, home)
    watching = psycopg2.connect(url)
    watching.autocommit = True
    with running_worker(settings, services, desk), watching.cursor() as cursor:
        for n in range(orders):
            number = f"MO-5000-{n:04d}"
            raw = (
                f"From: {BUYER}\r\nTo: {home.orders}\r\nSubject: Order {number}\r\n"
                f"Message-ID: <{number}@example.com>\r\n\r\nOrder: {number}\r\n\r\n"
                "Materials:\r\n- RM-001 Water 5 kg\r\n"
            ).encode()
            time.sleep(pause.uniform(0.2, 1.5))
            buyer.send_raw(BUYER, [home.orders], raw)
            sent_at = time.perf_counter()
            while True:
                cursor.execute(
                    "SELECT 1 FROM instances WHERE business_key = %s", (number,)
                )
                if cursor.fetchone():
                    break
                assert time.perf_counter() - sent_at < 120, f"{number} never started"
                time.sleep(0.005)
            found.append(time.perf_counter() - sent_at)
    watching.close()
    services.close()
    return found


def large_message(kind: str) -> bytes:
    head = (
        f"Return-Path: <{BUYER}>\r\nAuthentication-Results: mx.plant.example.com;"
        f" dmarc=pass header.from={BUYER.partition('@')[2]}\r\nFrom: {BUYER}\r\n"
        f"Message-ID: <{kind}@example.com>\r\nMIME-Version: 1.0\r\n"
        "Subject: Order MO-6000-0001\r\n"
    )
    order = "Order: MO-6000-0001\r\n\r\nMaterials:\r\n- RM-001 Water 5 kg\r\n\r\n"
    if kind == "text":
        line = "Thank you for your help with this, we are looking forward to it.\r\n"
        return (head + "\r\n" + order + line * (LARGE_BYTES // len(line))).encode()
    photo = base64.encodebytes(random.Random(1).randbytes(LARGE_BYTES * 73 // 100))
    parts = (
        f'{head}Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'
        f"Content-Type: text/plain\r\n\r\n{order}\r\n--b\r\n"
        "Content-Type: image/jpeg; name=photo.jpg\r\n"
        "Content-Transfer-Encoding: base64\r\n\r\n"
    )
    return parts.encode() + photo.replace(b"\n", b"\r\n") + b"--b--\r\n"


def measure_memory(url: str, servers: MailServers, kind: str) -> tuple[float, float]:
    """Peak megabytes of a worker and of its reading child for one large message."""
    drop_into(servers.mailboxes / servers.home.orders, large_message(kind))
    done = subprocess.run(
        [sys.executable, __file__, "--read-one", url, str(servers.directory)],
        capture_output=True,
        text=True,
        check=True,
    )
    worker_mb, child_mb = json.loads(done.stdout.splitlines()[-1])
    return worker_mb, child_mb


def read_one(url: str, directory: str) -> None:
    """In a process of its own: read what lies in the inbox, tell the peaks."""
    home = mail.read(Path(directory))
    assert home is not None
    services = bootstrap.connect(url)
    desk = embedded_desk(with_factory(Settings(), **FILES), home)
    assert desk.intake(services.uow, services.engine)()[0] == 1
    child = desk.sandbox.child_pid
    print(json.dumps([peak_mb("self"), peak_mb(str(child))]))
    desk.close()
    services.close()


def peak_mb(process: str) -> float:
    status = Path("/proc", process, "status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--orders", type=int, default=15)
    parser.add_argument("--read-one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read_one:
        read_one(*asked.read_one)
        return
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scratch.chmod(0o711)
        server = stack.enter_context(postgres.start(scratch / "postgres"))
        servers = stack.enter_context(
            mail.start(scratch / "mail", others=[BUYER], trusted_host=TRUSTED)
        )

        def database(name: str) -> str:
            connection = psycopg2.connect(server.dsn)
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {name}")
            connection.close()
            url = server.dsn.rpartition("/")[0] + f"/{name}"
            bootstrap.migrate_database(url)
            return url

        speed = measure_intake(database("intake"), servers, asked.rounds)
        print(f"{speed:.0f} messages/s from IMAP to the committed order")
        latencies = measure_latency(database("latency"), servers, asked.orders)
        print("SMTP to instance:", " ".join(f"{s:.2f}" for s in sorted(latencies)), "s")
        peaks = {
            kind: measure_memory(database(f"memory_{kind}"), servers, kind)
            for kind in ("photo", "text")
        }
        for kind, (worker_mb, child_mb) in peaks.items():
            print(f"20 MB {kind}: worker {worker_mb:.0f} MB, child {child_mb:.0f} MB")
    result = {
        "messages_per_s": round(speed, 1),
        "smtp_to_instance_s": round(statistics.median(latencies), 3),
        "peak_mb_20mb_mail": round(max(max(pair) for pair in peaks.values()), 1),
        "messages": asked.rounds * 15,
        "load_average": round(load, 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
