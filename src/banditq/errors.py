"""Every exception raised and every warning given on purpose."""


class BanditqError(Exception):
    """Base of all errors of this package."""


class InvalidInput(BanditqError, ValueError):
    """An argument is out of range, misshapen or of the wrong kind; the message says what works."""


class Infeasible(InvalidInput):
    """The targets cannot be met by any policy."""


class UnknownChoice(InvalidInput):
    """A choice that was never made here, or has been learnt already."""


class PolicyFailed(BanditqError, ArithmeticError):
    """A policy left the numbers: a law that does not sum to one, or a NaN."""


class BanditqWarning(UserWarning):
    """Base of all warnings of this package."""


class InterruptedRun(BanditqWarning):
    """A simulation was stopped by Ctrl-C; what was done is kept."""


class Unproven(BanditqWarning):
    """A policy is set up outside the conditions of its guarantee; it plays all the same."""
