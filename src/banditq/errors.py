"""Every exception raised and every warning given on purpose."""


class BanditqError(Exception):
    """Base of all errors of this package.

    Examples
    --------
    >>> import banditq as bq
    >>> try:
    ...     bq.instance("paper-6")
    ... except bq.BanditqError as error:
    ...     print(error)
    instance is 'paper-6'; it must be one of paper-5, paper-5-exact, ...
    """


class InvalidInput(BanditqError, ValueError):
    """An argument is out of range, misshapen or of the wrong kind; the message says what works.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.Problem(means=[0.3, 0.8], targets=[0.1, -0.2])
    Traceback (most recent call last):
    banditq.errors.InvalidInput: targets[1] is -0.2; it must be at least 0
    """


class Infeasible(InvalidInput):
    """The targets cannot be met by any policy.

    Examples
    --------
    Half of the rounds and two thirds of them are 7/6; 6/7 of the targets would do.

    >>> import banditq as bq
    >>> bq.Problem(means=[0.4, 0.3], targets=[0.2, 0.2]).benchmark()
    Traceback (most recent call last):
    banditq.errors.Infeasible: targets need 1.167 rounds per round (load Σ λ/μ = 1.167 > 1); ... is 0.8571
    """


class UnknownChoice(InvalidInput):
    """A choice that was never made here, or has been learnt already.

    Examples
    --------
    >>> import banditq as bq
    >>> agent = bq.BanditQ(horizon=None).start(targets=[0.1, 0.1, 0.0], seed=7)
    >>> agent.learn(5, 1.0)
    Traceback (most recent call last):
    banditq.errors.UnknownChoice: choice 5 was not made by this agent, which has made 0
    """


class PolicyFailed(BanditqError, ArithmeticError):
    """A policy left the numbers: a law that does not sum to one, or a NaN."""


class BanditqWarning(UserWarning):
    """Base of all warnings of this package."""


class InterruptedRun(BanditqWarning):
    """A simulation was stopped by Ctrl-C; what was done is kept."""


class Unproven(BanditqWarning):
    """A policy is set up outside the conditions of its guarantee; it plays all the same.

    Examples
    --------
    Two arms that are promised 0.9 and 0.1 of the pulls, by a rule proven for halves at most:

    >>> import warnings
    >>> import banditq as bq
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     policy = bq.FairLearn(fractions=[0.9, 0.1, 0.0])
    >>> [warning.category.__name__ for warning in given]
    ['Unproven']
    """
