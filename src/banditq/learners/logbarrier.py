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

    Examples
    --------
    After one estimate r̃ of a gain so large that S = 1 is forgotten, S has grown to r̃/2. With two arms
    :math:`1/(c - \tilde r) + 1/c = \eta = 4/\tilde r`, hence :math:`p = (1 + \sqrt 5)/4`, and γ is ½
    still.

    >>> from math import sqrt
    >>> import banditq as bq
    >>> import numpy as np
    >>> for gain in (1e20, 1e30):
    ...     state, x = bq.LogBarrier().state(2), np.zeros(2)
    ...     bq.learn(state, 0, 0.5, gain, np.inf)
    ...     bq.law(state, np.inf, x)
    ...     print(bool(np.isclose(x[0], 0.5 * (1 + sqrt(5)) / 4 + 0.25)))
    True
    True
    """

    feedback = "bandit"

    def state(self, n_arms: int) -> LogBarrierState | LogBarrierTailState:
        return plain_state(n_arms) if n_arms < CROSSOVER else tail_state(n_arms)
