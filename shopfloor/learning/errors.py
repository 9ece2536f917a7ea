"""Why learning or a learned policy cannot be used."""


class LearningRefused(ValueError):
    """What was asked of learning cannot be done."""


class PolicyRefused(LearningRefused):
    """A file holds no policy for this task."""
