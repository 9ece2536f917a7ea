"""A layout from numbers: blocks of storage places, one-way lanes, halls, queues.

Lanes between the blocks are one cell wide and run in turn to one side and the other, so
that robots circle around blocks. Where a side has stations, a hall of parallel lanes
lies between them and the blocks. The outermost lane is a ring, counterclockwise. Each
station has a queuing zone that folds back twice and leaves it three cells on.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleet.rmfs.errors import LayoutRefused
from fleet.rmfs.floor import Floor, Lift, Sketch, Spot, Zone, build

SIDES = ("west", "east", "south", "north")
STATION_ROWS = 4
LEAST_BATTERY_H = 1.0
"""Less would not do for one task and the way to rest."""
LIFT_ROWS = 2


@dataclass(frozen=True)
class LayoutParameters:
    """What a default layout is generated from."""

    tiers: int = 1
    robots: int = 16
    vertical_aisles: int = 6
    horizontal_aisles: int = 8
    block_length: int = 4
    hall_width: int = 4
    buffer_width: int = 4
    pick_west: int = 0
    pick_east: int = 2
    pick_south: int = 0
    pick_north: int = 0
    replenishment_west: int = 2
    replenishment_east: int = 0
    replenishment_south: int = 0
    replenishment_north: int = 0
    elevators: int = 0
    elevator_tier_s: float = 10.0
    pods: int | None = None
    """Instead of ``pod_share``."""
    pod_share: float = 0.85
    cell_m: float = 1.0
    robot_radius_m: float = 0.35
    acceleration_mps2: float = 1.0
    deceleration_mps2: float = 1.0
    top_speed_mps: float = 1.5
    full_turn_s: float = 2.5
    pod_transfer_s: float = 2.2
    pod_capacity: float = 500.0
    item_transfer_s: float = 10.0
    item_pick_s: float = 3.0
    bundle_transfer_s: float = 10.0
    pick_station_orders: int = 12
    replenishment_station_capacity: float = 1000.0
    battery_h: float = 0.0
    """Hours that a robot works on a full battery; 0: it is never empty."""
    charging_h: float = 1.0
    """From empty to full, where robots rest."""
    battery_low: float = 0.2
    """Share from which on a robot takes no new task until it is full enough."""
    battery_enough: float = 0.8


COUNTS = (
    "tiers",
    "robots",
    "block_length",
    "hall_width",
)


def mistakes(given: LayoutParameters) -> list[str]:
    """Every value that cannot be built, in a sentence."""
    wrong = []
    for name in COUNTS:
        if getattr(given, name) < 1:
            wrong.append(f"{name} is 1 or more, not {getattr(given, name)}")
    for name in ("vertical_aisles", "horizontal_aisles", "elevators"):
        if getattr(given, name) < 0:
            wrong.append(f"{name} is 0 or more, not {getattr(given, name)}")
    if given.buffer_width < 2:
        wrong.append(f"buffer_width is 2 or more, not {given.buffer_width}")
    for kind in ("pick", "replenishment"):
        counts = {side: getattr(given, f"{kind}_{side}") for side in SIDES}
        for side, count in counts.items():
            if count < 0:
                wrong.append(f"{kind}_{side} is 0 or more, not {count}")
        if sum(counts.values()) < 1:
            wrong.append(f"the layout has no {kind} station")
    if not 0.0 < given.pod_share <= 1.0:
        wrong.append(f"pod_share is above 0 and up to 1, not {given.pod_share:g}")
    for name in (
        "cell_m",
        "robot_radius_m",
        "acceleration_mps2",
        "deceleration_mps2",
        "top_speed_mps",
        "full_turn_s",
        "pod_capacity",
        "item_transfer_s",
        "bundle_transfer_s",
    ):
        if not getattr(given, name) > 0:
            wrong.append(f"{name} is more than 0, not {getattr(given, name):g}")
    if given.battery_h != 0.0 and not given.battery_h >= LEAST_BATTERY_H:
        wrong.append(
            f"battery_h is 0 (never empty) or {LEAST_BATTERY_H:g} and more, "
            f"not {given.battery_h:g}"
        )
    if not given.charging_h > 0.0:
        wrong.append(f"charging_h is more than 0, not {given.charging_h:g}")
    if not 0.0 < given.battery_low < given.battery_enough <= 1.0:
        wrong.append(
            "battery_low is above 0 and below battery_enough, which is up to 1"
        )
    if given.cell_m > 0 and given.robot_radius_m * 2 >= given.cell_m:
        wrong.append(
            f"robots of radius {given.robot_radius_m:g} m do not pass each other "
            f"on cells of {given.cell_m:g} m"
        )
    if given.pick_station_orders < 1:
        wrong.append("pick_station_orders is 1 or more")
    if given.tiers > 1 and given.elevators < 1:
        wrong.append(f"{given.tiers} tiers need elevators")
    return wrong


def generate(given: LayoutParameters) -> Floor:
    """LayoutRefused, with every reason."""
    wrong = mistakes(given)
    if wrong:
        raise LayoutRefused(*wrong)
    sketch = Sketch(cell_m=given.cell_m)
    lifts: dict[int, tuple[list[Spot], list[Spot]]] = {}
    for tier in range(given.tiers):
        _Tier(given, tier, sketch, lifts).draw()
    for enters, leaves in lifts.values():
        sketch.lifts.append(Lift(enters, leaves, given.elevator_tier_s))
    return build(sketch)


class _Tier:
    """One floor of the drawing; columns and rows are counted from the south-west."""

    def __init__(
        self,
        given: LayoutParameters,
        tier: int,
        sketch: Sketch,
        lifts: dict[int, tuple[list[Spot], list[Spot]]],
    ) -> None:
        self._given, self._tier, self._sketch, self._lifts = given, tier, sketch, lifts
        self._stations = {side: self._share(side) for side in SIDES}
        elevators = given.elevators
        self._elevators = {"west": (elevators + 1) // 2, "east": elevators // 2}
        halls = {
            side: given.hall_width if self._any(side) or self._lifted(side) else 1
            for side in SIDES
        }
        self._left, self._below = halls["west"], halls["south"]
        blocks, rows = given.vertical_aisles + 1, given.horizontal_aisles + 1
        self._right = self._left + blocks * given.block_length + given.vertical_aisles
        self._above = self._below + rows * 2 + given.horizontal_aisles
        self._width = self._right + halls["east"]
        self._height = self._above + halls["north"]
        self._across: dict[tuple[str, int], int] = {}

    def _share(self, side: str) -> list[str]:
        """Stations of this tier on one side, replenishment and pick in turn."""
        found = []
        for kind in ("replenishment", "pick"):
            total = getattr(self._given, f"{kind}_{side}")
            tiers = self._given.tiers
            mine = total // tiers + (self._tier < total % tiers)
            found += [(n / max(mine, 1), kind) for n in range(mine)]
        return [kind for _, kind in sorted(found)]

    def _any(self, side: str) -> bool:
        given = self._given
        return bool(
            getattr(given, f"pick_{side}") or getattr(given, f"replenishment_{side}")
        )

    def _lifted(self, side: str) -> bool:
        return self._elevators.get(side, 0) > 0

    def draw(self) -> None:
        for side in SIDES:
            self._draw_side(side)
        spots = [(x, y) for x in range(self._width) for y in range(self._height)]
        for x, y in spots:
            if self._is_place(x, y):
                self._sketch.places.add((self._tier, x, y))
            else:
                self._sketch.lanes.add((self._tier, x, y))
        for x, y in spots:
            if self._is_place(x, y):
                continue
            for dx, dy in ((self._eastward(x, y), 0), (0, self._northward(x, y))):
                end = (self._tier, x + dx, y + dy)
                if (dx or dy) and end in self._sketch.lanes:
                    self._sketch.ways.add(((self._tier, x, y), end))
        self._enter_aisles()

    def _enter_aisles(self) -> None:
        """Also where a hall lane beside the aisle runs the other way to a station."""
        ways, tier = self._sketch.ways, self._tier
        for y in range(self._below, self._above):
            if self._in_horizontal_aisle(y):
                x = self._left if self._eastward(self._left, y) > 0 else self._right - 1
                ways.add(((tier, x - self._eastward(x, y), y), (tier, x, y)))
        for x in range(self._left, self._right):
            if self._in_vertical_aisle(x):
                y = self._below
                if self._northward(x, y) < 0:
                    y = self._above - 1
                ways.add(((tier, x, y - self._northward(x, y)), (tier, x, y)))

    def _is_place(self, x: int, y: int) -> bool:
        return (
            self._left <= x < self._right
            and self._below <= y < self._above
            and not self._in_vertical_aisle(x)
            and not self._in_horizontal_aisle(y)
        )

    def _in_vertical_aisle(self, x: int) -> bool:
        step = self._given.block_length + 1
        return (x - self._left) % step == step - 1

    def _in_horizontal_aisle(self, y: int) -> bool:
        return (y - self._below) % 3 == 2

    def _northward(self, x: int, y: int) -> int:
        """1, -1, or 0 where no lane leads north or south."""
        beside = x < self._left or x >= self._right
        if not beside and not self._in_vertical_aisle(x):
            if self._below <= y < self._above:
                return 0
            return self._across.get(("south" if y < self._below else "north", x), 0)
        if x in (0, self._width - 1):
            return -1 if x == 0 else 1
        if not beside and not self._below <= y < self._above:
            side = "south" if y < self._below else "north"
            if (side, x) in self._across:
                return self._across[side, x]
        if x < self._left:
            return -1 if x % 2 == 0 else 1
        if x >= self._right:
            return 1 if (self._width - 1 - x) % 2 == 0 else -1
        aisle = (x - self._left) // (self._given.block_length + 1)
        return -1 if aisle % 2 == 0 else 1

    def _eastward(self, x: int, y: int) -> int:
        beside = y < self._below or y >= self._above
        if not beside and (x < self._left or x >= self._right):
            side = "west" if x < self._left else "east"
            if (side, y) in self._across:
                return self._across[side, y]
        if not beside and not self._in_horizontal_aisle(y):
            return 0
        if y in (0, self._height - 1):
            return 1 if y == 0 else -1
        if y < self._below:
            return 1 if y % 2 == 0 else -1
        if y >= self._above:
            return -1 if (self._height - 1 - y) % 2 == 0 else 1
        return -1 if (y - self._below) // 3 % 2 == 0 else 1

    def _draw_side(self, side: str) -> None:
        kinds, lifts = self._stations[side], self._elevators.get(side, 0)
        if not kinds and not lifts:
            return
        first, last = (
            (self._below, self._above)
            if side in ("west", "east")
            else (self._left, self._right)
        )
        needed = STATION_ROWS * len(kinds) + LIFT_ROWS * lifts
        if needed > last - first:
            raise LayoutRefused(
                f"{len(kinds)} stations in the {side} need {needed} cells, "
                f"but the blocks are {last - first} cells long there"
            )
        gap = (last - first - needed) / (len(kinds) + lifts)
        at = first + gap / 2
        for n in range(len(kinds) + lifts):
            if n < len(kinds):
                self._draw_station(side, int(at), kinds[n])
                at += STATION_ROWS + gap
            else:
                self._draw_lift(side, int(at), n - len(kinds))
                at += LIFT_ROWS + gap

    def _spot(self, side: str, along: int, outward: int) -> Spot:
        """``along`` the ring in its direction; the ring itself is 0 outward."""
        x, y = {
            "west": (-outward, along),
            "east": (self._width - 1 + outward, along),
            "south": (along, -outward),
            "north": (along, self._height - 1 + outward),
        }[side]
        return self._tier, x, y

    def _draw_station(self, side: str, first: int, kind: str) -> None:
        depth = self._given.buffer_width
        rows = [first + n for n in range(STATION_ROWS)]
        if side in ("west", "north"):  # the ring runs to the south and to the west
            rows.reverse()
        folded = [
            (rows[0], range(1, depth + 1)),
            (rows[1], range(depth, 0, -1)),
            (rows[2], range(1, depth + 1)),
        ]
        cells = [self._spot(side, row, out) for row, outs in folded for out in outs]
        corner, last = cells[depth], cells[-1]
        zone = Zone(kind, cells, [(corner, last)])
        self._sketch.zones.append(zone)
        leaving = [self._spot(side, rows[3], out) for out in range(depth, -1, -1)]
        self._sketch.lanes.update(leaving[:-1])
        self._sketch.ways.update(zip([last, *leaving], leaving, strict=False))
        self._sketch.ways.add((self._spot(side, rows[0], 0), cells[0]))
        outward = 1 if side in ("east", "north") else -1
        self._across[side, rows[0]] = outward
        self._across[side, rows[3]] = -outward

    def _draw_lift(self, side: str, first: int, number: int) -> None:
        rows = [first, first + 1]
        if side == "west":
            rows.reverse()
        enter, leave = (self._spot(side, row, 1) for row in rows)
        self._sketch.ways.add((self._spot(side, rows[0], 0), enter))
        self._sketch.ways.add((leave, self._spot(side, rows[1], 0)))
        key = number * 2 + (side == "east")
        enters, leaves = self._lifts.setdefault(key, ([], []))
        enters.append(enter)
        leaves.append(leave)
        outward = 1 if side == "east" else -1
        self._across[side, rows[0]] = outward
        self._across[side, rows[1]] = -outward
