"""What a command does to the token that waits for it."""

from __future__ import annotations

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import (
    Cancel,
    Command,
    Complete,
    Escalate,
    Fail,
    Fire,
    Hear,
    Receive,
    Repair,
    Retry,
    Start,
    StartAt,
)
from mpms.engine import scope
from mpms.engine.nodes.activities import ServiceTask, UserTask
from mpms.engine.nodes.ad_hoc import AdHocChoice
from mpms.engine.nodes.base import GoOn
from mpms.engine.nodes.calls import CallActivity
from mpms.engine.nodes.events import Catcher
from mpms.engine.nodes.listeners import ListenerJob
from mpms.engine.tokens import Token, Tokens


def apply(run: Tokens, command: Command) -> bool:
    """Do what the command says; False if it was an error that nobody catches."""
    if isinstance(command, Cancel):
        for token in list(run.task_tree.children):
            if token.id in run.tasks:
                run.cancel_token(token)
        run.cancelled = True
        return True
    if isinstance(command, Start | StartAt | Repair):
        return True
    token = next((t for t in run.tasks.values() if t.key == command.task_id), None)
    if token is None:
        raise TaskGone()
    node, state = token.task_spec, token._state
    if isinstance(command, Retry):
        if state != TaskState.ERROR:
            raise TaskGone("This task is not stuck.")
        _retry(run, token)
        return True
    if state != TaskState.STARTED:
        raise TaskGone("This task is stuck; it must be retried first.")
    work = isinstance(node, UserTask | ServiceTask | CallActivity)
    if "listening" in token.internal_data:
        raise TaskGone("This task waits for a listener.")
    if "held" in token.internal_data:
        raise TaskGone("This task waits for a worker to go on.")
    if isinstance(node, GoOn):
        if isinstance(command, Complete):
            node.accept(token)
        return isinstance(command, Complete)
    if isinstance(node, ListenerJob) and isinstance(command, Complete):
        node.accept(token, command.variables)
    elif isinstance(node, ListenerJob) and isinstance(command, Fail):
        return bool(node.throw_error(token, command.code, command.message))
    elif isinstance(command, Complete) and isinstance(node, AdHocChoice):
        node.accept(token, command.variables)
    elif isinstance(command, Complete) and work:
        scope.write_local(token, command.local)
        node.accept(token, command.variables)
    elif isinstance(command, Fail) and work:
        scope.write(token.parent, command.variables, by=token)
        return bool(node.throw_error(token, command.code, command.message))
    elif isinstance(command, Hear) and isinstance(node, UserTask):
        node.hear(token, *command.events)
    elif isinstance(command, Escalate) and isinstance(node, CallActivity):
        node.escalate(token, command.code, command.variables)
    elif isinstance(command, Fire) and isinstance(node, Catcher):
        node.fire(token)
    elif isinstance(command, Receive) and isinstance(node, Catcher):
        node.receive(token, command.variables)
    else:
        raise TaskGone("This task is not waiting for that.")
    return True


def _retry(run: Tokens, token: Token) -> None:
    stuck = token.internal_data.pop("stuck")
    run.note("retried", token)
    if stuck["stage"] == "entering":
        token._set_state(TaskState.READY)
        run.ready.append(token)
        return
    if stuck["stage"] == "joining":
        token._set_state(TaskState.WAITING)
        return
    token.internal_data["stage"] = stuck["stage"]
    token.complete()
