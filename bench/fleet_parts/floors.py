"""Drawn warehouses of any size for the bench."""

from __future__ import annotations

from fleet.model import ChargingZone, PackageType, Place, RobotSpec, RobotType, World

RACK_M, DEEP_M, AISLE_M = 12.0, 1.2, 3.6

TUG = RobotType(
    "tug", 1.5, 0.4, 0.8, 1.5, payload_kg=100.0, geometries=frozenset({"box"})
)
LIFTER = RobotType(
    "lifter",
    1.0,
    0.5,
    0.5,
    1.0,
    payload_kg=1000.0,
    geometries=frozenset({"box", "pallet"}),
)


def warehouse(width_m: float, height_m: float, robots: int, per_rack: int) -> World:
    """Rows of racks, storage in front of them, inputs left, outputs right."""
    walls = _box(0.0, 0.0, width_m, height_m)
    places: dict[str, Place] = {}
    storage = []
    y = 8.0
    while y + DEEP_M + AISLE_M + 4.0 < height_m:
        x = 8.0
        while x + RACK_M + 8.0 < width_m:
            walls += _box(x, y, x + RACK_M, y + DEEP_M)
            for slot in range(per_rack):
                name = f"s{len(storage)}"
                spot_x = x + (slot + 0.5) * RACK_M / per_rack
                places[name] = Place(name, spot_x, y - 0.7, 1.57)
                storage.append(name)
            x += RACK_M + 4.0
        y += DEEP_M + AISLE_M
    inputs, outputs, homes, chargers = [], [], [], []
    for number in range(int((height_m - 16.0) // 8.0)):
        for listed, name, side in ((inputs, "in", 2.0), (outputs, "out", width_m - 2)):
            listed.append(f"{name}{number}")
            places[listed[-1]] = Place(listed[-1], side, 8.0 + 8.0 * number)
    for number in range(robots):
        homes.append(f"home{number}")
        row, column = divmod(number, int((width_m - 4.0) // 1.8))
        home = Place(homes[-1], 2.0 + 1.8 * column, height_m - 1.5 - 1.8 * row)
        places[homes[-1]] = home
    for number in range(max(2, robots // 10)):
        chargers.append(f"charger{number}")
        places[chargers[-1]] = Place(chargers[-1], 3.0 + 2.0 * number, 1.5)
    zone = ChargingZone(
        "zone", 0.0, 0.0, width_m, 3.0, 0.5, len(chargers), tuple(chargers)
    )
    kinds = ("tug", "tug", "lifter")
    specs = {
        f"r{n}": RobotSpec(f"r{n}", kinds[n % 3], home) for n, home in enumerate(homes)
    }
    return World(
        f"{width_m:g} x {height_m:g} m",
        width_m,
        height_m,
        walls=tuple(walls),
        places=places,
        robot_types={"tug": TUG, "lifter": LIFTER},
        robots=specs,
        packages={
            "box": PackageType("box", 10.0, "box"),
            "pallet": PackageType("pallet", 400.0, "pallet"),
        },
        storage=tuple(storage),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        charging={"zone": zone},
    )


def _box(
    x1: float, y1: float, x2: float, y2: float
) -> list[tuple[float, float, float, float]]:
    return [(x1, y1, x2, y1), (x2, y1, x2, y2), (x2, y2, x1, y2), (x1, y2, x1, y1)]
