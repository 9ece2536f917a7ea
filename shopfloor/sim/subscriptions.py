"""One client's interest in one topic.

A client may subscribe to a topic several times; the real server merges these
into one stream: the lowest throttle and queue length win, a subscription that
failed still counts, and the message is sent once.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from shopfloor.sim.clock import Clock
from shopfloor.sim.encoding import Frame, Payload, fragments
from shopfloor.sim.outbox import Outbox


@dataclass(frozen=True)
class Wish:
    throttle_ms: float = 0.0
    queue_length: int = 0
    fragment_size: int | None = None
    compression: str = "none"


class Feed:
    def __init__(
        self, topic: str, clock: Clock, outbox: Outbox, next_id: Callable[[], str]
    ) -> None:
        self.topic = topic
        self.wishes: dict[object, Wish] = {}
        self._clock = clock
        self._outbox = outbox
        self._next_id = next_id
        self._queue: deque[Payload] = deque()
        self._on_the_way = 0
        self._sent_at = float("-inf")
        self._throttle_s = 0.0
        self._queue_length = 0
        self._fragment_size: int | None = None
        self._compression = "none"

    def want(self, key: object, wish: Wish) -> None:
        self.wishes[key] = wish
        self._merge()

    def unwant(self, key: object) -> None:
        self.wishes.pop(key, None)
        if self.wishes:
            self._merge()

    def _merge(self) -> None:
        wishes = self.wishes.values()
        self._throttle_s = min(wish.throttle_ms for wish in wishes) / 1000.0
        self._queue_length = min(wish.queue_length for wish in wishes)
        sizes = [wish.fragment_size for wish in wishes if wish.fragment_size]
        self._fragment_size = min(sizes) if sizes else None
        asked = {wish.compression for wish in wishes}
        self._compression = next(
            (form for form in ("cbor-raw", "cbor", "png") if form in asked), "none"
        )

    def receive(self, payload: Payload) -> None:
        if self._queue_length > 0:
            self._queue.append(payload)
            while len(self._queue) > self._queue_length:
                self._queue.popleft()
                self._outbox.dropped += 1
            self.pump()
        elif self._clock.now() >= self._sent_at + self._throttle_s:
            self._send(payload, droppable=True)

    def pump(self) -> None:
        """Send what is queued, one at a time, as fast as throttle and reader allow."""
        while (
            self._queue
            and not self._on_the_way
            and self._clock.now() >= self._sent_at + self._throttle_s
        ):
            self._on_the_way += 1
            self._send(self._queue.popleft(), droppable=False)

    def _send(self, payload: Payload, *, droppable: bool) -> None:
        now = self._clock.now()
        self._sent_at = now
        frame = payload.frame(self.topic, self._compression, now)
        parts = self._split(frame)
        last = len(parts) - 1
        for index, part in enumerate(parts):
            done = self._left if index == last and not droppable else None
            self._outbox.push(part, droppable=droppable, on_sent=done)

    def _split(self, frame: Frame) -> list[Frame]:
        size = self._fragment_size
        if size is None or isinstance(frame, bytes) or len(frame) <= size:
            return [frame]
        return list(fragments(frame, size, self._next_id()))

    def _left(self) -> None:
        self._on_the_way -= 1
        self.pump()
