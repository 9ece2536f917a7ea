"""The client on real sockets, against a small rosbridge server of the tests."""

from __future__ import annotations

import ipaddress
import json
import logging
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from robot_bridge.__main__ import main
from robot_bridge.address import UnsafeAddress, check_address
from robot_bridge.client import RobotClient, RobotTaken
from robot_bridge.delivery import Delivery
from robot_bridge.probe import probe
from robot_bridge.profiles import load_profile
from robot_bridge.reports import Ended, Link, LinkState, Pose, Problem, Progress
from robot_bridge.tls import TlsFiles
from tests.support.rosbridge import RosbridgeServer

PATIENCE_S = 30.0

Serve = Callable[..., RosbridgeServer]


def wait_for(what: Callable[[], Any]) -> Any:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it never happened")


class Owner:
    def __init__(self) -> None:
        self.reports: list[tuple[str, Any]] = []

    def __call__(self, robot_id: str, report: Any) -> None:
        self.reports.append((robot_id, report))

    def of(self, kind: type, robot_id: str | None = None) -> list[Any]:
        return [
            report
            for name, report in list(self.reports)
            if isinstance(report, kind) and robot_id in (None, name)
        ]


def has_ended(owner: Owner, times: int) -> bool:
    return len(owner.of(Ended)) == times


def is_at(client: RobotClient, x_m: float) -> bool:
    pose = client.snapshot().pose
    return pose is not None and abs(pose.x - x_m) < 0.01


@pytest.mark.covers("A18", "A19")
def test_a_goal_is_driven_over_a_real_websocket(bridge: Serve) -> None:
    server, owner = bridge(), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        client.navigate("g1", 1.0, 0.5)
        [end] = wait_for(lambda: owner.of(Ended))
    finally:
        client.stop()
    assert end.state == "SUCCEEDED"
    assert owner.of(Pose)
    assert not [p for p in owner.of(Problem) if p.kind == "bad_message"]


def test_robots_behind_one_address_share_one_connection(bridge: Serve) -> None:
    server, owner = bridge(("/r1", "/r2", "/r3")), Owner()
    clients = [
        RobotClient(server.url, "move_base", name, owner, namespace="/{robot_id}")
        for name in ("r1", "r2", "r3")
    ]
    for client in clients:
        client.start()
    try:
        for number, client in enumerate(clients):
            client.navigate(f"g{number}", 1.0 + number, 0.0)
        wait_for(lambda: len(owner.of(Ended)) == 3)
        assert {end.state for end in owner.of(Ended)} == {"SUCCEEDED"}
        assert server.connections == 1
        wait_for(lambda: is_at(clients[2], 3.0))
        twin = RobotClient(server.url, "move_base", "r1", owner)
        with pytest.raises(RobotTaken):
            twin.start()
    finally:
        for client in clients:
            client.stop()


def test_a_goal_ordered_while_disconnected_is_not_sent_after_its_expiry(
    bridge: Serve,
) -> None:
    owner = Owner()
    server = bridge()
    port = server.port
    server.close()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        client.navigate("g1", 1.0, 0.0, expires_at=time.time() + 0.3)
        [end] = wait_for(lambda: owner.of(Ended))
        assert end.state == "EXPIRED"
        again = bridge(port=port)
        wait_for(lambda: client.snapshot().link is LinkState.UP)
        assert again.published("/goal") == []
    finally:
        client.stop()


def test_the_client_comes_back_after_the_server_and_ends_the_goal_once(
    bridge: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    owner = Owner()
    server = bridge()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        client.navigate("g1", 400.0, 0.0)
        wait_for(lambda: [p for p in owner.of(Progress) if p.state == "ACTIVE"])
        robot = server.robots[""]
        server.close()
        wait_for(lambda: client.snapshot().link is LinkState.DOWN)
        robot.speed_mps = 4000.0
        again = bridge(port=server.port, robots={"": robot})
        [end] = wait_for(lambda: owner.of(Ended))
        assert end.state == "SUCCEEDED"
        assert robot.starts == {"g1": 1}
        assert again.published("/goal") == []
    finally:
        client.stop()
    noise = [r for r in caplog.records if r.name.startswith(("roslibpy", "autobahn"))]
    assert noise == []


def test_a_frozen_server_is_noticed_and_survived(bridge: Serve) -> None:
    server, owner = bridge(), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        wait_for(lambda: client.snapshot().link is LinkState.UP)
        server.frozen.set()
        wait_for(lambda: client.snapshot().link in (LinkState.STALE, LinkState.DOWN))
        client.navigate("g1", 1.0, 0.0)
        server.frozen.clear()
        [end] = wait_for(lambda: owner.of(Ended))
        assert end.state == "SUCCEEDED"
        assert server.robots[""].starts == {"g1": 1}
    finally:
        client.stop()


def test_odd_frames_do_not_end_the_connection(bridge: Serve) -> None:
    server, owner = bridge(), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        wait_for(lambda: client.snapshot().link is LinkState.UP)
        [connection] = server._live
        for odd in ("not json", "[]", '{"op": 3}', '{"op": "service_response"}', b"\0"):
            connection.send(odd)
        connection.send('{"op": "status", "level": "error", "msg": "no such topic"}')
        wait_for(lambda: [p for p in owner.of(Problem) if p.kind == "server_says"])
        client.navigate("g1", 0.5, 0.0)
        wait_for(lambda: owner.of(Ended))
        assert server.connections == 1
    finally:
        client.stop()


def test_a_client_can_be_stopped_and_started_again(bridge: Serve) -> None:
    server, owner = bridge(), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner)
    for number in (1, 2):
        client.start()
        client.navigate(f"g{number}", float(number), 0.0)
        wait_for(partial(has_ended, owner, number))
        client.stop()
    with pytest.raises(RuntimeError, match="r1 is not started"):
        client.navigate("g3", 0.0, 0.0)


def test_an_owner_that_fails_does_not_stop_the_others(
    bridge: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    server, owner = bridge(("/r1", "/r2")), Owner()

    def broken(robot_id: str, report: Any) -> None:
        raise LookupError(robot_id)

    pattern = "/{robot_id}"
    bad = RobotClient(server.url, "move_base", "r1", broken, namespace=pattern)
    good = RobotClient(server.url, "move_base", "r2", owner, namespace=pattern)
    bad.start()
    good.start()
    try:
        good.navigate("g1", 1.0, 0.0)
        wait_for(lambda: owner.of(Ended))
    finally:
        bad.stop()
        good.stop()
    assert "the owner of robot r1 failed on a report" in caplog.text


def test_a_slow_owner_gets_the_newest_pose_and_every_end() -> None:
    delivery, gate, seen = Delivery(), threading.Event(), []

    def slow(robot_id: str, report: Any) -> None:
        gate.wait(PATIENCE_S)
        seen.append(report)

    delivery.join()
    for number in range(1000):
        delivery.put(slow, "r1", Pose(float(number), 0.0, 0.0, 0.0, "map"))
        if number % 100 == 0:
            end = Ended(float(number), f"g{number}", "SUCCEEDED", False, "", None)  # type: ignore[arg-type]
            delivery.put(slow, "r1", end)
    gate.set()
    delivery.leave()
    poses = [each.at for each in seen if isinstance(each, Pose)]
    assert len(poses) <= 3
    assert poses[-1] == 999.0
    assert len([each for each in seen if isinstance(each, Ended)]) == 10


# --- encryption ----------------------------------------------------------------


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "robot of the tests")])
    now = datetime.now(UTC)
    host = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "robot.pem", folder / "robot.key"
    chain.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, secret)
    return chain, context


def test_a_robot_behind_tls_is_driven_when_its_certificate_is_known(
    bridge: Serve, tmp_path: Path
) -> None:
    chain, context = certificate(tmp_path)
    server, owner = bridge(tls=context), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner, tls=TlsFiles(chain))
    client.start()
    try:
        client.navigate("g1", 1.0, 0.0)
        wait_for(lambda: owner.of(Ended))
    finally:
        client.stop()
    assert owner.of(Ended)[0].state == "SUCCEEDED"


def test_a_robot_that_asks_for_our_certificate_is_driven_with_it_and_not_without(
    bridge: Serve, tmp_path: Path
) -> None:
    chain, context = certificate(tmp_path)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(chain)
    server = bridge(tls=context)
    stranger = Owner()
    client = RobotClient(server.url, "move_base", "r1", stranger, tls=TlsFiles(chain))
    client.start()
    try:
        wait_for(lambda: [r for r in stranger.of(Link) if "certificate" in r.reason])
        assert server.frames == []
    finally:
        client.stop()
    known, owner = TlsFiles(chain, chain, tmp_path / "robot.key"), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner, tls=known)
    client.start()
    try:
        client.navigate("g1", 1.0, 0.0)
        [end] = wait_for(lambda: owner.of(Ended))
    finally:
        client.stop()
    assert end.state == "SUCCEEDED"


def test_files_of_certificates_that_do_not_fit_are_named(tmp_path: Path) -> None:
    chain, _ = certificate(tmp_path)
    key = tmp_path / "robot.key"
    for files, words in (
        (TlsFiles(key_file=key), "without its certificate"),
        (TlsFiles(cert_file=chain, key_file=tmp_path / "no.key"), "no.key does not"),
        (TlsFiles(cert_file=chain), "robot.pem cannot be used"),
        (TlsFiles(ca_file=key), "robot.key cannot be used"),
    ):
        with pytest.raises(UnsafeAddress, match=words):
            check_address("wss://10.0.0.5", load_profile("move_base"), files)


def test_a_robot_with_an_unknown_certificate_is_not_spoken_to(
    bridge: Serve, tmp_path: Path
) -> None:
    _, context = certificate(tmp_path)
    server, owner = bridge(tls=context), Owner()
    client = RobotClient(server.url, "move_base", "r1", owner)
    client.start()
    try:
        wait_for(lambda: [r for r in owner.of(Link) if "certificate" in r.reason])
        client.navigate("g1", 1.0, 0.0, expires_at=time.time() + 0.3)
        [end] = wait_for(lambda: owner.of(Ended))
    finally:
        client.stop()
    assert end.state == "EXPIRED"
    assert "certificate" in end.reason.lower()
    assert server.frames == []


# --- the probe -----------------------------------------------------------------


def test_the_probe_tells_every_state_with_its_time(bridge: Serve) -> None:
    server = bridge()
    told = json.loads(json.dumps(probe(server.url, "move_base", 1.0, 0.0, PATIENCE_S)))
    assert told["ok"]
    assert told["final"] == "SUCCEEDED"
    names = [each["state"] for each in told["states"]]
    assert [n for n in names if not n.startswith("LINK")][:2] == ["NEW", "SENT"]
    assert names[-1] == "SUCCEEDED"
    times = [each["t_s"] for each in told["states"]]
    assert times == sorted(times)


def test_the_probe_cancels_what_does_not_end(bridge: Serve) -> None:
    server = bridge()
    server.robots[""].stuck = True
    told = probe(server.url, "move_base", 1.0, 0.0, 3.0)
    assert told["final"] == "TIMEOUT"
    assert not told["ok"]
    wait_for(lambda: server.robots[""].active is None)


def test_the_probe_program_prints_json_and_its_exit_code_tells(
    bridge: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    server = bridge()
    arguments = ["--goal", "0.5", "0", "--timeout", "30"]
    assert main([server.url, *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["final"] == "SUCCEEDED"
    assert main(["ws://robot.example:9090", *arguments]) == 2
    assert "allow_plain_ws" in capsys.readouterr().err


# --- addresses -----------------------------------------------------------------


def test_plain_connections_to_other_machines_are_refused_unless_named() -> None:
    profile = load_profile("move_base")
    for url in ("ws://127.0.0.1:9090", "ws://localhost:9090", "ws://[::1]:9090"):
        assert check_address(url, profile).url == url
    for url in ("ws://10.0.0.5:9090", "ws://robot7:9090", "ws://127.0.0.1.evil.com"):
        with pytest.raises(UnsafeAddress, match="allow_plain_ws"):
            check_address(url, profile)
    object.__setattr__(profile, "allow_plain_ws", ["robot7"])
    assert check_address("ws://robot7:9090", profile).url == "ws://robot7:9090"


def test_encrypted_connections_are_allowed_and_need_their_certificate_file(
    tmp_path: Path,
) -> None:
    profile = load_profile("move_base")
    assert check_address("wss://10.0.0.5:9090", profile).secure
    with pytest.raises(UnsafeAddress, match=r"missing\.pem does not exist"):
        check_address("wss://10.0.0.5", profile, TlsFiles(tmp_path / "missing.pem"))


@pytest.mark.parametrize("url", ["http://127.0.0.1", "ws://", "robot", "ws://h:99999"])
def test_what_is_no_address_is_refused_with_a_cause(url: str) -> None:
    with pytest.raises(UnsafeAddress, match="robot address"):
        check_address(url, load_profile("move_base"))
