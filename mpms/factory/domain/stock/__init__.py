"""Lots of raw materials and what is moved of them. Weights are whole grams."""

from mpms.factory.domain.stock.lots import Lot, LotRefused, LotState
from mpms.factory.domain.stock.moves import (
    Held,
    Move,
    MoveKind,
    grams_of,
    kg_of,
    on_robot,
    robot_of,
)
from mpms.factory.domain.stock.picks import Pick, PickState

__all__ = [
    "Held",
    "Lot",
    "LotRefused",
    "LotState",
    "Move",
    "MoveKind",
    "Pick",
    "PickState",
    "grams_of",
    "kg_of",
    "on_robot",
    "robot_of",
]
