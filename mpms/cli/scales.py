"""What ``mpms scales`` does: read each scale once, or be one."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation

from mpms.domain.errors import MpmsError
from mpms.factory.adapters.instruments.scales import weigh_on
from mpms.factory.adapters.instruments.simulators.loop import served
from mpms.factory.adapters.instruments.simulators.scale import (
    PlayedScale,
    settings_for,
)
from mpms.factory.bootstrap import instruments_of
from mpms.factory.ports.scales import ScaleUnavailable
from mpms.factory.settings import FactorySettings
from mpms.settings import Settings

SAID = "Type a weight in kg, or: move, rest, overload, unplug, plug, tare KG, stop."


class ScalesUnfit(MpmsError):
    """A scale gave no weight."""


class WeightUnreadable(MpmsError):
    """Say a weight in kilograms."""


def check(settings: Settings, names: list[str]) -> int:
    """One weighing each; compare it with a known mass."""
    mine = FactorySettings.of(settings)
    found = instruments_of(mine.instruments, mine.world)
    scales = {} if found is None else found.scales
    unknown = [name for name in names if name not in scales]
    if unknown:
        known = ", ".join(scales) or "none"
        raise ScalesUnfit(f"There is no scale {unknown[0]!r}; known are: {known}.")
    if not scales:
        print("The plant has no scales of its own: loads are weighed on the robots.")
    unfit = 0
    for name in names or scales:
        try:
            weight = weigh_on(name, scales[name])
        except ScaleUnavailable as broken:
            unfit += 1
            print(f"{name}: {broken}")
            continue
        told = " ".join(f"{key}={value}" for key, value in weight.told().items())
        print(f"{name}: {told}")
    if unfit:
        raise ScalesUnfit(f"{unfit} of {len(names or scales)} scales gave no weight.")
    return 0


def simulate(
    _settings: Settings, driver: str, port: int, kg: str, tare: str, place: str
) -> int:
    """A scale on this machine; what it shows follows the lines that are typed."""
    scale = PlayedScale(_kg(kg), _kg(tare))
    with served(scale.served_by(driver, port)) as chosen:
        print(f"# for instruments.yaml:\nscales:\n  {place}:")
        for key, value in settings_for(driver, chosen, place).items():
            print(f"    {key}: {_yaml(value)}")
        print(f"# {SAID}", flush=True)
        for line in sys.stdin:
            if line.strip() == "stop":
                break
            try:
                _do(scale, line.split())
            except WeightUnreadable as strange:
                print(f"# {strange}", file=sys.stderr, flush=True)
                continue
            print(f"# {scale}", flush=True)
    return 0


def _do(scale: PlayedScale, words: list[str]) -> None:
    match words:
        case []:
            return
        case ["move"] | ["rest"]:
            scale.moving = words == ["move"]
        case ["unplug"] | ["plug"]:
            scale.unplugged = words == ["unplug"]
        case ["overload"]:
            scale.overloaded = True
        case ["tare", amount]:
            scale.tare_kg = _kg(amount)
        case [amount]:
            scale.net_kg, scale.overloaded = _kg(amount), False
        case _:
            raise WeightUnreadable(SAID)


def _kg(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise WeightUnreadable(f"{text!r} is no weight. {SAID}")
    return found


def _yaml(value: object) -> str:
    """In one line, as YAML and JSON both have it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k}: {_yaml(v)}" for k, v in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value))}]"
    text = str(value)
    return f'"{text}"' if ":" in text or "=" in text else text
