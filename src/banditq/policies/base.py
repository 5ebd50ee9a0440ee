"""What every policy's configuration has in common."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..agent import Agent
from ..config import Config, in_words
from ..terms import Terms

if TYPE_CHECKING:
    from ..problem import Problem

__all__ = ["Policy", "Terms"]


class Policy(Config):
    """A way to choose arms, round after round.

    A subclass is a frozen dataclass that has a ``feedback`` ("bandit" or "full") and makes a ``state``
    from the :class:`Terms`. The state answers the verbs of :mod:`banditq.kernels.protocol`.

    Examples
    --------
    >>> import banditq as bq
    >>> policy = bq.Policy.parse("banditq(learner=squint, feedback='full', v=500)")
    >>> policy == bq.BanditQ("full", bq.Squint(), v=500)
    True
    >>> bq.UCB1.logs_propensities, bq.LFG.needs
    (False, 'pull fractions')
    """

    feedback: str
    # Whether a choice's probability may be used as a propensity: that of a policy that does not
    # randomise over arms is 1 and says nothing.
    logs_propensities: ClassVar[bool] = True
    # Whether what has been learnt leaves one arm only: its law puts 1 there, at the price of a choice.
    deterministic: ClassVar[bool] = False
    # What a policy must be told that nobody knows while the means are unknown, such as "pull fractions";
    # tables say it beside its name. A property if only some of its settings need it.
    needs: ClassVar[str] = ""

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """The policy as one would enter it for a problem; one that ``needs`` something is told it here."""
        return cls()

    @classmethod
    def entries(cls, problem: "Problem") -> "dict[str, Policy]":
        """The forms in which the policy enters an arena, by the names that its tables give them."""
        return {in_words(cls.__name__, "-"): cls.on(problem)}

    def state(self, terms: Terms) -> Any:
        """A fresh state under these terms."""
        raise NotImplementedError

    def start(
        self,
        targets: Sequence[float],
        *,
        seed: int = 0,
        reward_max: float = 1.0,
        rounds: int | None = None,
        run: int = 0,
    ) -> Agent:
        """Open a live agent.

        Parameters
        ----------
        targets
            The promised reward per round of each arm, 0 for an arm without a promise.
        seed, run
            Choices are a pure function of these and of what has been learnt; with the same numbers and
            the same rewards the agent walks the trajectory of ``simulate``.
        reward_max
            The largest reward there can be.
        rounds
            How many rounds there will be, if that is known and the policy wants to know.

        Examples
        --------
        >>> import banditq as bq
        >>> agent = bq.BanditQ(horizon=None).start(targets=[0.1, 0.0], seed=7)
        >>> choice = agent.choose()
        >>> agent.learn(choice, 1.0)
        """
        return Agent.open(self, targets, seed=seed, reward_max=reward_max, rounds=rounds, run=run)
