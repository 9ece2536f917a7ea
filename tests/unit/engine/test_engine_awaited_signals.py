"""The signal that leads to some work is found in the model, whatever it is called."""

from pathlib import Path

import pytest

from mpms.engine.awaited_signals import signals_to
from mpms.engine.reading import read_model

ROOT = Path(__file__).resolve().parents[3]
MODEL = (ROOT / "processes" / "orders_handling.bpmn").read_bytes()


@pytest.mark.parametrize(
    ("topic", "names"),
    [("orders.next", {"new order"}), ("mail.read", set()), ("nothing", set())],
)
def test_a_signal_leads_to_the_work_that_comes_next(
    topic: str, names: set[str]
) -> None:
    renamed = MODEL.replace(b'name="email received" />', b'name="new order" />')
    (process,) = read_model(renamed).processes
    assert signals_to(process, topic) == names
