"""Every error names its cause; its docstring is the message when none is given."""


class MpmsError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class NotFound(MpmsError):
    """What was asked for does not exist."""


class ProcessUnknown(NotFound):
    """No model with this key is deployed."""


class InstanceUnknown(NotFound):
    """There is no such process instance."""


class TaskGone(NotFound):
    """This task is no longer waiting for an answer."""


class OrderUnknown(NotFound):
    """There is no such order."""


class OrderNumberTaken(MpmsError):
    """An order with this number is there already."""


class ModelRefused(MpmsError):
    """The model cannot be executed exactly as drawn."""


class InstanceBusy(MpmsError):
    """Somebody else is changing this instance right now; try again."""


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


class LoginTaken(MpmsError):
    """There is a person with this login already."""


class BusinessError(MpmsError):
    """A failure that the model may catch with an error event.

    ``code`` is what a BPMN error event is compared with.
    """

    def __init__(self, code: str, message: str | None = None) -> None:
        super().__init__(message or code)
        self.code = code


class RobotBusy(MpmsError):
    """The robot has an open goal already; goals are given one by one."""
