"""Photos and signatures: kept as rows of their own, refused when they are no pictures.

Also that the server checks an answer with the variables that the form can see.
"""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from mpms.domain.errors import FormInvalid
from tests.support.bench import Bench
from tests.support.checkers import there

PHOTO = {"type": "photo", "key": "photo", "label": "The drum"}
SIGNATURE = {"type": "signature", "key": "signed", "label": "Signature"}
WEIGHT = {
    "type": "weigh",
    "key": "kg",
    "label": "Weight",
    "target": "=material.required_kg",
    "tolerance_kg": 0.5,
}
LID = {
    "type": "textfield",
    "key": "lid",
    "label": "Lid",
    "conditional": {"hide": "=material.open"},
    "validate": {"required": True},
}


def picture(kind: str) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(made, kind)
    return made.getvalue()


def data_url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


@pytest.fixture
def task_id(bench: Bench) -> str:
    bench.deploy_form("check", PHOTO, SIGNATURE, WEIGHT, LID)
    bench.deploy_drawn(
        "checking",
        '<startEvent id="begin"/><userTask id="ask" camunda:formKey="check"/>'
        '<userTask id="next"/><endEvent id="end"/>',
        *("begin ask", "ask next", "next end"),
    )
    material = {"required_kg": 12.5, "open": True}
    instance_id = bench.start("checking", material=material)
    (task,) = bench.forms(instance_id)
    found: str = task.task_id
    return found


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_a_photo_becomes_a_row_and_the_answer_refers_to_it(
    bench: Bench, task_id: str, kind: str
) -> None:
    content = picture(kind)
    posted = {"photo": data_url(f"image/{kind}", content), "signed": "Ada Lovelace"}
    submitted = bench.submit(task_id, posted)
    kept = there(submitted.answer).answers["photo"]
    assert kept == {
        "attachment": kept["attachment"],
        "media_type": f"image/{kind}",
        "bytes": len(content),
    }
    assert there(submitted.answer).answers["signed"] == "Ada Lovelace"
    assert bench.variables(there(submitted.answer).instance_id)["photo"] == kept
    with bench.uow() as tx:
        row = there(tx.attachments.get(kept["attachment"]))
    assert (row.content, row.field, row.task_id) == (content, "photo", task_id)
    assert row.instance_id == there(submitted.answer).instance_id


def test_a_drawn_signature_is_kept_as_well(bench: Bench, task_id: str) -> None:
    submitted = bench.submit(task_id, {"signed": data_url("image/png", picture("png"))})
    assert there(submitted.answer).answers["signed"]["media_type"] == "image/png"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (data_url("image/png", b"MZ\x90 a program"), "must be a picture"),
        (data_url("image/png", b"<svg onload=alert(1)>"), "must be a picture"),
        (data_url("image/jpeg", picture("png")), "not what it claims to be"),
        (data_url("text/html", b"<script>"), "must be a picture"),
        ("data:image/png;base64,iVBOR", "is damaged"),
        ("../../etc/passwd", "must be a picture"),
        ({"attachment": "of somebody else"}, "must be a picture"),
        (data_url("image/jpeg", b"\xff\xd8\xff" + bytes(4 << 20)), "at most 4 MB"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_picture_is_refused_and_nothing_is_kept(
    bench: Bench, task_id: str, value: Any, reason: str
) -> None:
    with pytest.raises(FormInvalid, match=reason):
        bench.submit(task_id, {"photo": value})
    with bench.uow() as tx:
        assert tx.tasks.get(task_id)
        assert tx.tasks.answer(task_id) is None


def test_a_repeated_post_keeps_one_picture(bench: Bench, task_id: str) -> None:
    posted = {"photo": data_url("image/png", picture("png"))}
    first = bench.submit(task_id, posted)
    again = bench.submit(task_id, posted)
    assert not again.first
    assert again.answer == first.answer


def test_limits_and_conditions_see_the_variables_of_the_process(
    bench: Bench, task_id: str
) -> None:
    with pytest.raises(FormInvalid, match=r"Weight: 1\.5 kg too little"):
        bench.submit(task_id, {"kg": 11})
    submitted = bench.submit(task_id, {"kg": 12.75, "lid": "hidden", "admin": True})
    assert there(submitted.answer).answers == {"kg": 12.75}
