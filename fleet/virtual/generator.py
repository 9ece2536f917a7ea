"""Random packages at inputs and random demands at outputs.

It follows the storage information: it never adds to a full input and never demands
what is not stored.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from fleet import events as ev
from fleet.model.world import PackageType
from fleet.storage import StorageInformation


class Generator:
    """A source and a sink. ``rate_per_s``: how often each of them wants something."""

    def __init__(self, draw: random.Random, rate_per_s: float) -> None:
        self._draw = draw
        self._rate_per_s = rate_per_s
        self._types: list[str] = []
        self._number = 0
        self.running = False
        self.first: StorageInformation | None = None

    def start(
        self,
        packages: Mapping[str, PackageType],
        information: Callable[[], StorageInformation] | None = None,
    ) -> bool:
        """The last component to start; it asks at once what lies where."""
        if information is not None:
            self.first = information()
        self._types = sorted(packages)
        self.running = bool(self._types)
        return self.running

    def stop(self) -> bool:
        self.running = False
        return True

    def step(self, dt_s: float, information: StorageInformation) -> list[ev.Event]:
        """What comes and what is wanted in this span of time."""
        if not self.running:
            return []
        events: list[ev.Event] = []
        share = self._rate_per_s * dt_s
        if self._draw.random() < share and information.free_input:
            room = len(information.free_storage)
            if room > 2:
                place = self._draw.choice(information.free_input)
                self._number += 1
                kind = self._draw.choice(self._types)
                events.append(ev.InputComing(place, f"N-{self._number}", kind))
        if self._draw.random() < share and information.free_output:
            kinds = sorted({kind for _, _, kind in information.stored_packages})
            if kinds:
                place = self._draw.choice(information.free_output)
                events.append(ev.OutputWanted(place, self._draw.choice(kinds)))
        return events
