"""Bandits that guarantee rewards.

Promise some arms a minimum reward per round and earn the most with the rest, without knowing what any
arm pays. See :class:`BanditQ`, :func:`simulate` and :meth:`Policy.start`.
"""

from . import plots, theory
from .agent import Agent, Choice
from .arena.match import Arena, arena
from .compare import Comparison, compare
from .config import Config
from .errors import (
    BanditqError,
    BanditqWarning,
    Infeasible,
    InterruptedRun,
    InvalidInput,
    PolicyFailed,
    UnknownChoice,
    Unproven,
)
from .feasibility import (
    Feasibility,
    feasibility,
    feasibility_from_data,
    first_order_feasibility,
    first_order_load,
)
from .instances import INSTANCES, Instance, instance
from .kernels.compiling import implements, kernel
from .kernels.noise import uniform
from .kernels.protocol import (
    Allocation,
    Decision,
    allocate,
    choose,
    draw,
    foresee,
    law,
    learn,
    mean,
    pick,
    sample,
    uses_bound,
)
from .learners.adahedge import AdaHedge
from .learners.base import Learner
from .learners.exp3 import Exp3, Exp3IX
from .learners.hedge import Hedge
from .learners.logbarrier import LogBarrier
from .learners.oga import OGA
from .learners.solo import SoloFTRL
from .learners.squint import Squint
from .learners.tsallis import TsallisInf
from .policies.alone import Alone
from .policies.banditq import BanditQ
from .policies.base import Policy, Terms
from .policies.constrained_epsilon_greedy import ConstrainedEpsilonGreedy
from .policies.epsilon_greedy import EpsilonGreedy
from .policies.etc_anytime import ETCAnytime
from .policies.explore_commit import ETC
from .policies.fair_learn import FairLearn
from .policies.fixed_mix import FixedMix
from .policies.floor import DOC, GOC, POC, SGOC, SPOC, FloorPlusLearner
from .policies.kl_ucb import KLUCB
from .policies.lagrange_bwk import LagrangeBwK
from .policies.lfg import LFG
from .policies.max_weight import MaxWeight, MaxWeightGenie
from .policies.moss import MOSS
from .policies.neely_yu import NeelyYu
from .policies.online_proportional_fair import OnlineProportionalFair
from .policies.queue_first import QueueFirst
from .policies.stochastic_rate import StochasticRateUCB
from .policies.strict_rate import StrictRateUCB
from .policies.thompson import ThompsonSampling
from .policies.ucb import UCB1
from .problem import Benchmark, Problem
from .result import Result, Summary
from .rewards.adversarial import Adversarial
from .rewards.base import RewardModel
from .rewards.bernoulli import Bernoulli
from .rewards.beta import Beta
from .rewards.drift import Drift
from .rewards.table import Table
from .rewards.uniform import Uniform
from .simulate import simulate
from .verdict import Verdict

__version__ = "0.1.0"

__all__ = [
    "DOC",
    "ETC",
    "GOC",
    "INSTANCES",
    "KLUCB",
    "LFG",
    "MOSS",
    "OGA",
    "POC",
    "SGOC",
    "SPOC",
    "UCB1",
    "AdaHedge",
    "Adversarial",
    "Agent",
    "Allocation",
    "Alone",
    "Arena",
    "BanditQ",
    "BanditqError",
    "BanditqWarning",
    "Benchmark",
    "Bernoulli",
    "Beta",
    "Choice",
    "Comparison",
    "Config",
    "ConstrainedEpsilonGreedy",
    "Decision",
    "Drift",
    "ETCAnytime",
    "EpsilonGreedy",
    "Exp3",
    "Exp3IX",
    "FairLearn",
    "Feasibility",
    "FixedMix",
    "FloorPlusLearner",
    "Hedge",
    "Infeasible",
    "Instance",
    "InterruptedRun",
    "InvalidInput",
    "LagrangeBwK",
    "Learner",
    "LogBarrier",
    "MaxWeight",
    "MaxWeightGenie",
    "NeelyYu",
    "OnlineProportionalFair",
    "Policy",
    "PolicyFailed",
    "Problem",
    "QueueFirst",
    "Result",
    "RewardModel",
    "SoloFTRL",
    "Squint",
    "StochasticRateUCB",
    "StrictRateUCB",
    "Summary",
    "Table",
    "Terms",
    "ThompsonSampling",
    "TsallisInf",
    "Uniform",
    "UnknownChoice",
    "Unproven",
    "Verdict",
    "allocate",
    "arena",
    "choose",
    "compare",
    "draw",
    "feasibility",
    "feasibility_from_data",
    "first_order_feasibility",
    "first_order_load",
    "foresee",
    "implements",
    "instance",
    "kernel",
    "law",
    "learn",
    "mean",
    "pick",
    "plots",
    "sample",
    "simulate",
    "theory",
    "uniform",
    "uses_bound",
]
