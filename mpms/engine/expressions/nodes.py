"""The building blocks of a compiled expression: closures over a frame.

Chains of one precedence level run in a loop, not in nested calls, so a long sum
costs no stack; only what is nested in the text is nested here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .bounds import Frame
from .faults import Fault
from .functions import Function
from .methods import called
from .operations import Operation, attribute, looked_up, truth

Node = Callable[[Frame], object]


@dataclass(frozen=True, slots=True)
class Called:
    """``.name(arguments)`` behind a value."""

    name: str
    arguments: Sequence[Node]


Access = tuple[int, str | Node | Called]


def constant(value: object) -> Node:
    def run(frame: Frame) -> object:
        frame.spend()
        return value

    return run


def variable(name: str, position: int) -> Node:
    def run(frame: Frame) -> object:
        frame.spend()
        if name not in frame.variables:
            raise Fault(f"knows no variable '{name}'", position)
        return frame.variables[name]

    return run


def chain(first: Node, rest: Sequence[tuple[int, Operation, Node]]) -> Node:
    def run(frame: Frame) -> object:
        value = first(frame)
        for position, operation, operand in rest:
            other = operand(frame)
            frame.spend()
            try:
                value = operation(frame, value, other)
            except Fault as fault:
                raise fault.at(position) from None
        return value

    return run


def logical(word: str, operands: Sequence[tuple[int, Node]]) -> Node:
    """``and`` and ``or``: what is not needed is not evaluated."""
    decisive = word == "or"

    def run(frame: Frame) -> object:
        for position, operand in operands:
            value = operand(frame)
            frame.spend()
            try:
                if truth(value, f"for '{word}'") is decisive:
                    return decisive
            except Fault as fault:
                raise fault.at(position) from None
        return not decisive

    return run


def unary(position: int, operand: Node, operation: Callable[[object], object]) -> Node:
    def run(frame: Frame) -> object:
        value = operand(frame)
        frame.spend()
        try:
            return operation(value)
        except Fault as fault:
            raise fault.at(position) from None

    return run


def choice(position: int, condition: Node, chosen: Node, otherwise: Node) -> Node:
    def run(frame: Frame) -> object:
        value = condition(frame)
        frame.spend()
        try:
            holds = truth(value, "to choose by")
        except Fault as fault:
            raise fault.at(position) from None
        return chosen(frame) if holds else otherwise(frame)

    return run


def accesses(base: Node, steps: Sequence[Access]) -> Node:
    """``base.name[index].name`` from left to right."""

    def run(frame: Frame) -> object:
        value = base(frame)
        for position, step in steps:
            frame.spend()
            try:
                value = _stepped(frame, value, step)
            except Fault as fault:
                raise fault.at(position) from None
        return value

    return run


def _stepped(frame: Frame, value: object, step: str | Node | Called) -> object:
    if isinstance(step, str):
        return attribute(value, step)
    if isinstance(step, Called):
        given = [argument(frame) for argument in step.arguments]
        return called(frame, value, step.name, given)
    return looked_up(value, step(frame))


def of_execution(position: int, name: str, argument: Node) -> Node:
    """What models of Camunda 7 ask the execution for a variable by its name."""

    def run(frame: Frame) -> object:
        wanted = argument(frame)
        frame.spend()
        if not isinstance(wanted, str):
            raise Fault(f"needs the name of a variable for {name}()", position)
        if name == "hasVariable":
            return wanted in frame.variables
        return frame.variables.get(wanted)

    return run


def call(position: int, function: Function, arguments: Sequence[Node]) -> Node:
    def run(frame: Frame) -> object:
        values = [argument(frame) for argument in arguments]
        frame.spend()
        try:
            return function.call(frame, values)
        except Fault as fault:
            raise fault.at(position) from None

    return run


def items(members: Sequence[Node]) -> Node:
    def run(frame: Frame) -> object:
        frame.spend_on_items(len(members))
        return [member(frame) for member in members]

    return run


def entries(members: Sequence[tuple[str, Node]]) -> Node:
    def run(frame: Frame) -> object:
        frame.spend_on_items(len(members))
        return {key: member(frame) for key, member in members}

    return run
