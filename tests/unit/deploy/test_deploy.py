"""What a plant is installed with passes the linters of those who wrote the formats."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mpms.plugins import variables
from mpms.settings import secret_variables

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
UNITS = ("mpms-web.service", "mpms-worker.service")


def linter(name: str, why: str) -> str:
    found = shutil.which(name) or shutil.which(
        name, path=str(Path(sys.executable).parent)
    )
    if found is None:
        pytest.skip(f"{name} is not installed, {why}")
    return found


def passes(*command: str, cwd: Path = ROOT) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return composed["services"]  # type: ignore[no-any-return]


def test_no_container_may_write_its_image_or_keeps_rights(
    services: dict[str, dict[str, Any]],
) -> None:
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    keep = [name for name, service in services.items() if "cap_add" in service]
    assert keep == ["postgres"]


def test_what_stays_up_has_a_health_check_and_keeps_its_state(
    services: dict[str, dict[str, Any]],
) -> None:
    for name in ("postgres", "worker", "web"):
        assert services[name]["healthcheck"]["test"], name
        assert services[name]["volumes"], name
    authority = "authority:/var/lib/mpms/tls"
    assert authority in services["certificates"]["volumes"]


def test_ports_are_open_to_this_machine_only(
    services: dict[str, dict[str, Any]],
) -> None:
    ports = [p for service in services.values() for p in service.get("ports", ())]
    assert ports == ["${MPMS_OPEN_ON:-127.0.0.1}:8080:8080"]


def test_no_secret_stands_in_the_environment_of_a_container(
    services: dict[str, dict[str, Any]],
) -> None:
    secret = (secret_variables() | variables.secrets()) - {"MPMS_ROBOTS_URL"}
    for name, service in services.items():
        assert not secret & set(service.get("environment", {})), name
        assert "POSTGRES_PASSWORD" not in service.get("environment", {}), name


def test_the_script_of_secrets_makes_them_once(tmp_path: Path) -> None:
    mail = {"IMAP_URL": "imaps://a:b@c/INBOX", "SMTP_URL": "smtps://a:b@c"}
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())
    first = made_secrets(tmp_path, mail)
    assert set(first) == set(composed["secrets"])
    assert first["imap_url"] == f"{mail['IMAP_URL']}\n"
    password = first["database_password"].strip()
    assert re.fullmatch("[0-9a-f]{48}", password)
    assert f":{password}@postgres" in first["database_url"]
    other = dict.fromkeys(mail, "imaps://somebody@else/INBOX")
    assert made_secrets(tmp_path, other) == first


def made_secrets(directory: Path, mail: dict[str, str]) -> dict[str, str]:
    script = str(DEPLOY / "secrets.sh")
    environment = {"PATH": os.environ["PATH"]} | mail
    subprocess.run(
        ["sh", script, "secrets"], cwd=directory, env=environment, check=True
    )
    return {p.name: p.read_text() for p in (directory / "secrets").iterdir()}


def test_the_dockerfile_passes_hadolint() -> None:
    passes(linter("hadolint", "so the Dockerfile is not checked"), "Dockerfile")


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_passes_systemd_analyze(unit: str, tmp_path: Path) -> None:
    """Its program is one that this machine has; the rest is as shipped."""
    check = linter("systemd-analyze", "so the units are not checked")
    text = (DEPLOY / "systemd" / unit).read_text()
    placed = tmp_path / unit
    placed.write_text(text.replace("/opt/mpms/bin/mpms", "/bin/true"))
    said = passes(check, "verify", "--man=no", str(placed))
    assert unit not in said, said
    assert "User=mpms" in text
    assert "MPMS_DATABASE_URL:" in text


@pytest.mark.soak  # helm comes with no package of the system or of Python
def test_the_chart_passes_helm() -> None:
    helm = linter("helm", "so the chart is not checked")
    passes(helm, "lint", "--strict", str(DEPLOY / "helm/mpms"))
    made = list(
        yaml.safe_load_all(passes(helm, "template", "plant", str(DEPLOY / "helm/mpms")))
    )
    pods = [m["spec"]["template"]["spec"] for m in made if m["kind"] == "Deployment"]
    assert len(pods) == 2
    for pod in pods:
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert {"readinessProbe", "livenessProbe"} & set(container)


@pytest.mark.soak  # the plug-in of Docker's client
def test_compose_reads_the_file_as_it_is_meant() -> None:
    docker = linter("docker", "so compose.yaml is not checked")
    asked = subprocess.run(
        [docker, "compose", "version"], capture_output=True, check=False
    )
    if asked.returncode != 0:
        pytest.skip("docker compose is not installed, so compose.yaml is not checked")
    passes(docker, "compose", "--profile", "simulator", "config", "--quiet")
