"""Dispatch: who does which task, with bids, strategies and phases."""

from fleet.dispatch.bids import Bid, Bidder, Bids
from fleet.dispatch.round import Decision, Round
from fleet.dispatch.strategies import STRATEGIES, Strategy

__all__ = ["STRATEGIES", "Bid", "Bidder", "Bids", "Decision", "Round", "Strategy"]
