"""Every error names its cause; its docstring is the message when none is given."""


class MpmsError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class Conflict(MpmsError):
    """It does not fit what is there now."""


class ServerRefuses(MpmsError):
    """A server outside did not take what it was given."""


class NotFound(MpmsError):
    """The requested page does not exist."""


class ProcessUnknown(NotFound):
    """No model with this key is deployed."""


class InstanceUnknown(NotFound):
    """There is no such process instance."""


class TaskGone(NotFound):
    """This task is no longer waiting for an answer."""


class ModelRefused(MpmsError):
    """The model cannot be executed exactly as drawn."""


class InstanceBusy(MpmsError):
    """Somebody else is changing this instance right now; try again."""


class InstanceSuspended(InstanceBusy):
    """This process instance is suspended; nothing moves until it is resumed."""


class AlreadySuspended(Conflict):
    """It is already suspended."""


class NotSuspended(Conflict):
    """It is not suspended."""


class ProcessSuspended(MpmsError):
    """This process is suspended; no new instance is started."""


class ElementUnknown(NotFound):
    """The process has no such element, or no token can be put there."""


class RepairRefused(MpmsError):
    """This cannot be done to a running instance."""


class ReasonMissing(MpmsError):
    """Enter a reason: a repair that changes the flow needs one."""


class MigrationRefused(MpmsError):
    """The instance cannot go to that version; nothing was changed."""

    def __init__(self, reasons: tuple[str, ...] | list[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(" ".join(self.reasons) or None)


class FormInvalid(MpmsError):
    """The answers do not fit the form."""


class DatabaseAway(MpmsError):
    """The database does not answer."""


class ExpressionInvalid(MpmsError):
    """The expression cannot be read."""


class ExpressionFailed(MpmsError):
    """The expression could not be evaluated."""


class StepFailed(MpmsError):
    """The process could not take its next step."""


class LoginTaken(Conflict):
    """There is a person with this login already."""


class BusinessError(MpmsError):
    """A failure that the model may catch with an error event.

    ``code`` is what a BPMN error event is compared with.
    """

    def __init__(self, code: str, message: str | None = None) -> None:
        super().__init__(message or code)
        self.code = code


class StartUnknown(NotFound):
    """The process cannot be started this way."""


class NobodyWaits(NotFound):
    """Nobody waits for this message and no process begins with it."""


class SeveralWait(Conflict):
    """Several wait for this message; say which one is meant."""


class VariableTooLarge(ExpressionFailed):
    """A variable is larger than the plant allows."""


class ServerBusy(MpmsError):
    """Too much is asked for at once; try again in a moment."""


class DatabaseSlow(DatabaseAway):
    """The database takes too long for this; ask for less, or try again later."""
