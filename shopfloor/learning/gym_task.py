"""``AlleyPass``: the task as a Gymnasium environment, for those who train by a library.

Importing this module registers ``mpms/AlleyPass-v0`` and its vectorised form.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from fleet.bodies.file import load_vehicle
from shopfloor.learning.alley_kernels import REACHED, TIMED_OUT, TOUCHED
from shopfloor.learning.alleys import MOST_STEPS, SIZE, Alleys, Courses
from shopfloor.learning.sectors import SECTORS

NAME = "mpms/AlleyPass-v0"
WHY = {REACHED: "reached", TOUCHED: "contact", TIMED_OUT: "not there in time"}
Floats = NDArray[np.float32]


def _spaces() -> tuple[Any, Any]:
    low = np.full(SIZE, -1.0, np.float32)
    low[:SECTORS] = 0.0
    seen = spaces.Box(low, np.ones(SIZE, np.float32), dtype=np.float32)
    return seen, spaces.Box(-1.0, 1.0, (2,), np.float32)


class AlleyPass(gymnasium.Env[Floats, Floats]):
    """One vehicle, one alley an episode: that of ``options={"alley_seed": 7}``, else
    one of ``alleys`` that are drawn from ``first_seed`` on."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        vehicle: str = "zebrat",
        alleys: int = 20,
        first_seed: int = 0,
        most_steps: int = MOST_STEPS,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._vehicle = load_vehicle(vehicle)
        courses = Courses.unseen(self._vehicle, range(first_seed, first_seed + alleys))
        self._alleys = Alleys(
            self._vehicle, courses, 1, again=False, most_steps=most_steps
        )
        self._drawn = courses
        self.observation_space: spaces.Space[Floats]
        self.action_space: spaces.Space[Floats]
        self.observation_space, self.action_space = _spaces()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        asked = (options or {}).get("alley_seed")
        if asked is not None:
            self._alleys.courses = Courses.unseen(self._vehicle, [int(asked)])
            index = 0
        else:
            self._alleys.courses = self._drawn
            index = int(self.np_random.integers(len(self._drawn)))
        return self._alleys.start_in(index).copy()[0], self._info()

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        seen, rewards, ends = self._alleys.step(
            np.asarray(action, np.float32).reshape(1, 2)
        )
        end = int(ends[0])
        over = end in (REACHED, TOUCHED)
        info = self._info() | ({"why": WHY[end]} if end else {})
        return seen.copy()[0], float(rewards[0]), over, end == TIMED_OUT, info

    def render(self) -> str:
        x, y, yaw, speed, steering = self._alleys.states[0]
        return (
            f"at {x:.2f}, {y:.2f} m towards {np.degrees(yaw):.0f}°, {speed:.2f} m/s,"
            f" wheels at {np.degrees(steering):.0f}°,"
            f" {self._alleys.remaining_m():.1f} m to go"
        )

    def _info(self) -> dict[str, Any]:
        return {"remaining_m": self._alleys.remaining_m()}


class ManyAlleys(VectorEnv[Floats, Floats, NDArray[Any]]):
    """The same for many vehicles in one call of a kernel; who ends starts again."""

    def __init__(
        self,
        num_envs: int = 64,
        vehicle: str = "zebrat",
        alleys: int = 100,
        first_seed: int = 0,
        most_steps: int = MOST_STEPS,
        midway: float = 0.0,
    ) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self._made = load_vehicle(vehicle)
        self._courses = Courses.unseen(
            self._made, range(first_seed, first_seed + alleys)
        )
        self._midway, self._most_steps = midway, most_steps
        self._alleys = self._start(0)
        self.single_observation_space, self.single_action_space = _spaces()
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, num_envs
        )
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, num_envs
        )

    def _start(self, seed: int) -> Alleys:
        return Alleys(
            self._made,
            self._courses,
            self.num_envs,
            seed,
            midway=self._midway,
            most_steps=self._most_steps,
        )

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        first = seed[0] if isinstance(seed, list) else seed
        if first is not None:
            self._alleys = self._start(first)
        return self._alleys.start_all().copy(), {}

    def step(
        self, actions: Floats
    ) -> tuple[Floats, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        seen, rewards, ends = self._alleys.step(actions)
        over = (ends == REACHED) | (ends == TOUCHED)
        return seen.copy(), rewards.copy(), over, ends == TIMED_OUT, {"ends": ends}


if NAME not in gymnasium.registry:
    gymnasium.register(
        NAME,
        entry_point="shopfloor.learning.gym_task:AlleyPass",
        vector_entry_point="shopfloor.learning.gym_task:ManyAlleys",
    )
