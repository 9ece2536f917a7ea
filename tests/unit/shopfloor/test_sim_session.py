"""The rosbridge protocol of one connection, frame by frame."""

import base64
import io
import json
import math
import struct
from collections.abc import Callable
from typing import Any

import cbor2
import pytest
from PIL import Image

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.outbox import Outbox
from tests.support.rosbridge import LocalClient

CHATTER, TEXT = "/chatter", "std_msgs/String"


def first_frame(client: LocalClient) -> bytes:
    frame = client.frames()[0]
    assert isinstance(frame, bytes)
    return frame


@pytest.mark.parametrize(
    "frame",
    [
        "{not json",
        "[]",
        "5",
        '"text"',
        "{}",
        '{"op": 7}',
        '{"op": "no_such_operation"}',
        '{"op": "subscribe"}',
        '{"op": "subscribe", "topic": "/nobody"}',
        '{"op": "subscribe", "topic": "/a", "type": "no_such/Type"}',
        '{"op": "subscribe", "topic": "/a", "type": "std_msgs/msg/String"}',
        '{"op": "subscribe", "topic": "/map", "type": "std_msgs/String"}',
        '{"op": "advertise", "topic": "/a", "type": "no_such/Type"}',
        '{"op": "publish", "topic": "/nobody", "msg": {}}',
        '{"op": "unsubscribe", "topic": "/nobody"}',
        '{"op": "unadvertise", "topic": "/nobody"}',
        '{"op": "unadvertise_service", "service": "/nobody"}',
        '{"op": "service_response", "id": "nobody"}',
        '{"op": "fragment", "id": "1", "num": 5, "total": 2, "data": ""}',
        '{"op": "send_action_goal", "action": "/a"}',
        b"\xff\xff",
    ],
)
def test_errors_are_silent_and_the_connection_stays(
    client: LocalClient, frame: Any
) -> None:
    client.raw(frame)
    assert client.frames() == []
    assert client.call("/rosapi/get_time")["result"] is True


def test_set_level_makes_errors_heard(client: LocalClient) -> None:
    client.send("set_level", level="error", id="l")
    client.send("no_such_operation", id="x")
    [status] = client.read()
    assert status["op"] == "status"
    assert status["level"] == "error"
    assert status["id"] == "x"
    assert "no_such_operation" in status["msg"]
    client.send("set_level", level="none")
    client.send("no_such_operation")
    assert client.read() == []


def test_a_message_of_the_wrong_shape_is_not_delivered(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT)
    client.publish(CHATTER, TEXT, {"data": 5})
    client.publish(CHATTER, TEXT, {"datum": "x"})
    client.publish(CHATTER, TEXT, {"data": "right"})
    assert client.messages(CHATTER) == [{"data": "right"}]


def test_a_stray_letter_before_an_operation_is_overlooked(client: LocalClient) -> None:
    client.raw('x{"op": "call_service", "id": 1, "service": "/rosapi/get_time"}')
    assert [frame["id"] for frame in client.read()] == [1]


def test_two_operations_in_one_frame_and_one_in_two_frames_work(
    client: LocalClient,
) -> None:
    call = '{"op": "call_service", "id": %d, "service": "/rosapi/get_time"}'
    client.raw(call % 1 + call % 2)
    client.raw((call % 3)[:20])
    client.raw((call % 3)[20:])
    assert [frame["id"] for frame in client.read()] == [1, 2, 3]


@pytest.mark.parametrize("message_id", ["text", 7, "7"])
def test_the_id_comes_back_unchanged(client: LocalClient, message_id: Any) -> None:
    client.send("call_service", id=message_id, service="/rosapi/get_time")
    [answer] = client.read()
    assert answer["id"] == message_id
    assert type(answer["id"]) is type(message_id)


def test_an_unknown_service_is_named_in_the_answer(client: LocalClient) -> None:
    assert client.call("/x") == {
        "op": "service_response",
        "service": "/x",
        "id": "call",
        "values": "Service /x does not exist",
        "result": False,
    }


@pytest.mark.parametrize("args", [{"topic": "/map"}, ["/map"]])
def test_arguments_come_by_name_or_by_position(client: LocalClient, args: Any) -> None:
    answer = client.call("/rosapi/topic_type", args)
    assert answer["values"] == {"type": "nav_msgs/OccupancyGrid"}


@pytest.mark.parametrize("args", [{"nothing": 1}, {"topic": 5}, ["a", "b", "c"], "x"])
def test_arguments_that_do_not_fit_are_answered(client: LocalClient, args: Any) -> None:
    answer = client.call("/rosapi/topic_type", args)
    assert answer["result"] is False
    assert isinstance(answer["values"], str)


def test_the_values_are_there_even_if_empty(client: LocalClient) -> None:
    answer = client.call("/rosapi/set_param", {"name": "/a", "value": "1"})
    assert answer["values"] == {}
    assert answer["result"] is True


def test_omitted_fields_are_filled_and_the_header_is_stamped(
    client: LocalClient, clock: ManualClock
) -> None:
    client.subscribe("/pose", "geometry_msgs/PoseStamped")
    client.publish("/pose", "geometry_msgs/PoseStamped", {"pose": {}})
    [message] = client.messages("/pose")
    assert message["pose"]["orientation"] == {"x": 0.0, "y": 0.0, "z": 0.0, "w": 0.0}
    assert message["header"]["stamp"]["secs"] == int(clock.now())
    assert message["header"]["seq"] == 1


def test_nan_becomes_null_and_octets_become_base64(client: LocalClient) -> None:
    client.subscribe("/image", "sensor_msgs/Image")
    client.publish("/image", "sensor_msgs/Image", {"data": [1, 2, 255]})
    [message] = client.messages("/image")
    assert base64.b64decode(message["data"]) == b"\x01\x02\xff"
    client.publish("/image", "sensor_msgs/Image", {"data": "AQL/"})
    assert client.messages("/image")[1]["data"] == "AQL/"
    client.subscribe("/robot1/battery_state")
    client.advance(1.5)
    battery = client.messages("/robot1/battery_state")[0]
    assert battery["current"] is None
    assert 0.0 < battery["percentage"] <= 1.0


def test_signed_octets_stay_a_list(client: LocalClient) -> None:
    client.subscribe("/map")
    [grid] = client.messages("/map")
    assert len(grid["data"]) == 40 * 20
    assert set(grid["data"]) == {0, 100}


def test_latched_messages_reach_late_subscribers(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    client.send("advertise", topic=CHATTER, type=TEXT, latch=True)
    client.send("publish", topic=CHATTER, msg={"data": "kept"})
    late = connect()
    late.subscribe(CHATTER)
    assert late.messages(CHATTER) == [{"data": "kept"}]
    client.simulation.disconnect(client.session)
    later = connect()
    later.subscribe(CHATTER, TEXT)
    assert later.messages(CHATTER) == []


def test_throttling_drops_what_comes_too_soon(
    client: LocalClient, clock: ManualClock
) -> None:
    client.subscribe(CHATTER, TEXT, throttle_rate=1000)
    for number in range(17):
        client.publish(CHATTER, TEXT, {"data": str(number)})
        clock.advance(0.125)
    heard = [message["data"] for message in client.messages(CHATTER)]
    assert heard == ["0", "8", "16"]


def test_the_lowest_throttle_of_a_client_wins_even_if_it_failed(
    client: LocalClient, clock: ManualClock
) -> None:
    client.subscribe(CHATTER, TEXT, id="slow", throttle_rate=10_000)
    client.subscribe(CHATTER, "std_msgs/Bool", id="failed", throttle_rate=0)
    for number in range(3):
        client.publish(CHATTER, TEXT, {"data": str(number)})
        clock.advance(0.1)
    assert len(client.messages(CHATTER)) == 3


def test_several_subscriptions_of_a_client_bring_one_copy(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, id="one")
    client.subscribe(CHATTER, TEXT, id="two")
    client.publish(CHATTER, TEXT, {"data": "x"})
    assert len(client.messages(CHATTER)) == 1


def test_unsubscribing_by_id_keeps_the_other_subscription(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, id="one")
    client.subscribe(CHATTER, TEXT, id="two")
    client.send("unsubscribe", topic=CHATTER, id="one")
    client.publish(CHATTER, TEXT, {"data": "a"})
    client.send("unsubscribe", topic=CHATTER, id="two")
    client.publish(CHATTER, TEXT, {"data": "b"})
    assert client.messages(CHATTER) == [{"data": "a"}]


def test_unsubscribing_without_an_id_ends_all(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, id="one")
    client.subscribe(CHATTER, TEXT, id="two")
    client.send("unsubscribe", topic=CHATTER)
    client.publish(CHATTER, TEXT, {"data": "a"})
    assert client.messages(CHATTER) == []


def test_a_queue_keeps_the_newest_and_is_read_at_the_throttle(
    client: LocalClient,
) -> None:
    client.subscribe(CHATTER, TEXT, throttle_rate=1000, queue_length=2)
    for number in range(6):
        client.publish(CHATTER, TEXT, {"data": str(number)})

    def heard() -> list[str]:
        return [message["data"] for message in client.messages(CHATTER)]

    assert heard() == ["0"]
    client.advance(0.9)
    assert heard() == ["0"]
    client.advance(0.2)
    assert heard() == ["0", "4"]
    client.advance(1.1)
    assert heard() == ["0", "4", "5"]


def test_a_queue_of_one_holds_back_for_a_slow_reader(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, queue_length=1)
    for number in range(100):
        client.publish(CHATTER, TEXT, {"data": str(number)})
    assert len(client.session.outbox) == 1
    heard = [message["data"] for message in client.messages(CHATTER)]
    assert heard == ["0", "99"]


def test_an_unread_outbox_stays_bounded_without_a_queue(client: LocalClient) -> None:
    client.session.outbox.limit_bytes = 10_000
    client.subscribe(CHATTER, TEXT)
    for _ in range(1000):
        client.publish(CHATTER, TEXT, {"data": "x" * 100})
    assert client.session.outbox.pending_bytes < 11_000
    assert client.session.outbox.dropped > 800


def test_a_frame_above_the_limit_passes_an_empty_outbox() -> None:
    outbox = Outbox(limit_bytes=10)
    outbox.push("x" * 100, droppable=True)
    outbox.push("y", droppable=True)
    assert outbox.take_all() == ["x" * 100]


def test_cbor_on_request_packs_the_map_into_one_byte_a_cell(
    client: LocalClient,
) -> None:
    client.subscribe("/map", compression="cbor")
    [frame] = client.frames()
    assert isinstance(frame, bytes)
    message = cbor2.loads(frame)
    assert message["topic"] == "/map"
    packed = message["msg"]["data"]
    assert packed.tag == 72
    assert len(packed.value) == 40 * 20
    assert message["msg"]["info"]["width"] == 40


def test_cbor_keeps_nan(client: LocalClient) -> None:
    client.subscribe("/robot1/battery_state", compression="cbor")
    client.advance(1.5)
    message = cbor2.loads(first_frame(client))
    assert math.isnan(message["msg"]["current"])


def test_cbor_raw_carries_the_serialised_message(
    client: LocalClient, clock: ManualClock
) -> None:
    client.subscribe("/pose", "geometry_msgs/PointStamped", compression="cbor-raw")
    stamp = {"secs": 3, "nsecs": 4}
    client.publish(
        "/pose",
        "geometry_msgs/PointStamped",
        {"header": {"stamp": stamp, "frame_id": "map"}, "point": {"x": 1.5}},
    )
    message = cbor2.loads(first_frame(client))["msg"]
    assert message["secs"] == int(clock.now())
    packed = struct.pack("<IIII", 1, 3, 4, 3) + b"map" + struct.pack("<ddd", 1.5, 0, 0)
    assert message["bytes"] == packed


def test_png_on_request_hides_the_frame_in_an_image(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, compression="png")
    client.publish(CHATTER, TEXT, {"data": "größer"})
    [frame] = client.read()
    assert frame["op"] == "png"
    with Image.open(io.BytesIO(base64.b64decode(frame["data"]))) as picture:
        inner = json.loads(picture.tobytes())
    assert inner == {"op": "publish", "topic": CHATTER, "msg": {"data": "größer"}}


def test_fragments_on_request_have_a_fractional_total(client: LocalClient) -> None:
    client.subscribe(CHATTER, TEXT, fragment_size=50)
    client.publish(CHATTER, TEXT, {"data": "x" * 200})
    frames = client.read()
    whole = "".join(frame["data"] for frame in frames)
    assert {frame["op"] for frame in frames} == {"fragment"}
    assert [frame["num"] for frame in frames] == list(range(len(frames)))
    assert frames[0]["total"] == len(whole) / 50
    assert json.loads(whole)["msg"] == {"data": "x" * 200}


def test_fragments_from_a_client_are_joined_in_any_order(client: LocalClient) -> None:
    text = json.dumps({"op": "call_service", "id": 9, "service": "/rosapi/get_time"})
    parts = [text[:20], text[20:40], text[40:]]
    for number in (2, 0, 0, 1):
        client.send("fragment", id="f", num=number, total=3, data=parts[number])
    assert [frame["id"] for frame in client.read()] == [9]


def test_a_client_can_offer_a_service_to_others(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    caller = connect()
    kind = "rospy_tutorials/AddTwoInts"
    client.send("advertise_service", service="/add", type=kind)
    caller.send("call_service", id="c", service="/add", args=[2, 3])
    [request] = client.read()
    assert request["op"] == "call_service"
    assert request["args"] == {"a": 2, "b": 3}
    client.send(
        "service_response",
        id=request["id"],
        service="/add",
        values={"sum": 5},
        result=True,
    )
    [answer] = caller.read()
    assert answer["values"] == {"sum": 5}
    assert answer["id"] == "c"


def test_callers_are_answered_when_the_offering_client_vanishes(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    caller = connect()
    client.send("advertise_service", service="/add", type="rospy_tutorials/AddTwoInts")
    caller.send("call_service", id="c", service="/add", args=[2, 3])
    client.simulation.disconnect(client.session)
    [answer] = caller.read()
    assert answer["result"] is False
    assert caller.call("/add")["values"] == "Service /add does not exist"


def test_what_a_client_leaves_behind_is_cleared_away(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    client.subscribe("/mine", TEXT)
    client.publish("/also_mine", TEXT, {"data": ""})
    other = connect()
    before = other.call("/rosapi/topics")["values"]["topics"]
    assert {"/mine", "/also_mine"} <= set(before)
    client.simulation.disconnect(client.session)
    after = other.call("/rosapi/topics")["values"]["topics"]
    assert set(before) - set(after) == {"/mine", "/also_mine"}
