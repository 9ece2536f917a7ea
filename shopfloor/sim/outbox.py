"""What one client has not read yet, bounded.

A slow reader may cost itself messages, never the server its memory and never
another client its time.
"""

from collections import deque
from collections.abc import Callable

from shopfloor.sim.encoding import Frame

DEFAULT_LIMIT_BYTES = 8 * 1024 * 1024


class Outbox:
    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self.pending_bytes = 0
        self.dropped = 0
        self.wake: Callable[[], None] = lambda: None
        self._frames: deque[tuple[Frame, Callable[[], None] | None]] = deque()

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def full(self) -> bool:
        return self.pending_bytes >= self.limit_bytes

    def push(
        self,
        frame: Frame,
        *,
        droppable: bool = False,
        on_sent: Callable[[], None] | None = None,
    ) -> None:
        """A droppable frame is lost if the reader is too far behind.

        A single frame larger than the limit still passes when nothing waits.
        """
        if droppable and self._frames and self.full:
            self.dropped += 1
            return
        self._frames.append((frame, on_sent))
        self.pending_bytes += len(frame)
        self.wake()

    def peek(self) -> Frame | None:
        return self._frames[0][0] if self._frames else None

    def sent(self) -> None:
        """Forget the first frame: it has left."""
        frame, on_sent = self._frames.popleft()
        self.pending_bytes -= len(frame)
        if on_sent is not None:
            on_sent()

    def take_all(self) -> list[Frame]:
        """Everything waiting, as a reader without a network takes it."""
        taken = []
        while (frame := self.peek()) is not None:
            taken.append(frame)
            self.sent()
        return taken
