"""The scale-free bandit learner that the paper uses: FTRL with a logarithmic barrier."""

from dataclasses import dataclass

from .base import Learner
from .logbarrier_plain import LogBarrierState, plain_state
from .logbarrier_tail import LogBarrierTailState, tail_state

# From here on a round that leaves most arms alone is the faster one, by 20 %.
CROSSOVER = 80


@dataclass(frozen=True)
class LogBarrier(Learner):
    r"""Follow the regularised leader with a log barrier and adaptive rate; any real gains.

    With :math:`\tilde R` the cumulative importance-weighted gains,

    .. math:: p = \arg\max_{q \in \Delta} \langle \tilde R, q\rangle
              + \tfrac{1}{\eta} \sum_i \log q_i, \qquad
              x = (1-\gamma) p + \gamma / N,

    where :math:`\eta = N/S`, S grows by the mixability gap of each round and
    :math:`\gamma = \min(\frac12, \sqrt{N/t})`.

    References
    ----------
    Putta & Agrawal, "Scale-free adversarial multi-armed bandits", ALT 2022, Algorithm 1.
    """

    feedback = "bandit"

    def state(self, n_arms: int) -> LogBarrierState | LogBarrierTailState:
        return plain_state(n_arms) if n_arms < CROSSOVER else tail_state(n_arms)
