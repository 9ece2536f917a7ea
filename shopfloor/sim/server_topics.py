"""What a ROS machine says of itself: its log, its time and who is connected.

Viewers find out by the log's type which version of ROS they speak with.
"""

from collections.abc import Iterable

from shopfloor.sim.clock import Every
from shopfloor.sim.graph import Graph
from shopfloor.sim.session import NODE, Session

LEVELS_ROS1 = {"info": 2, "warning": 4, "error": 8}
LEVELS_ROS2 = {"info": 20, "warning": 30, "error": 40}
CLOCK_S = 0.1
ROSOUT, CLOCK = "/rosout", "/clock"
COUNT, CLIENTS = "/client_count", "/connected_clients"
NAMES = (ROSOUT, CLOCK, COUNT, CLIENTS)


class ServerTopics:
    def __init__(self, graph: Graph, *, tells_clock: bool) -> None:
        self._graph = graph
        self._tells_clock = tells_clock
        self._ros2 = graph.registry.dialect == "ros2"
        log = "rcl_interfaces/Log" if self._ros2 else "rosgraph_msgs/Log"
        graph.advertise(NODE, ROSOUT, log)
        graph.advertise(NODE, CLOCK, "rosgraph_msgs/Clock")
        graph.advertise(NODE, COUNT, "std_msgs/Int32", latch=True)
        graph.advertise(NODE, CLIENTS, "rosbridge_msgs/ConnectedClients", latch=True)
        graph.log = self.log
        self._clock_due = Every(CLOCK_S)
        self.tell_clients(())

    def log(self, node: str, level: str, text: str) -> None:
        if not self._graph.topics[ROSOUT].wanted:
            return
        stamp = self._graph.registry.time(self._graph.time())
        levels = LEVELS_ROS2 if self._ros2 else LEVELS_ROS1
        line = {"level": levels[level], "name": node, "msg": text}
        head = {"stamp": stamp} if self._ros2 else {"header": {"stamp": stamp}}
        self._graph.publish(ROSOUT, {**head, **line})

    def tell_clients(self, sessions: Iterable[Session]) -> None:
        listed = [
            {
                "ip_address": session.address,
                "connection_time": self._graph.registry.time(session.connected_at),
            }
            for session in sessions
        ]
        self._graph.publish(COUNT, {"data": len(listed)}, latch=True)
        self._graph.publish(CLIENTS, {"clients": listed}, latch=True)

    def note_client(self, what: str, sessions: list[Session]) -> None:
        """``what`` became of one: connected or disconnected."""
        self.tell_clients(sessions)
        text = f"Client {what}. {len(sessions)} clients total."
        self.log(NODE, "info", text)

    def step(self, now: float) -> None:
        wanted = self._tells_clock and self._graph.topics[CLOCK].wanted
        if wanted and self._clock_due.due(now):
            stamp = self._graph.registry.time(self._graph.time())
            self._graph.publish(CLOCK, {"clock": stamp})
