"""Bandits that guarantee rewards.

Promise some arms a minimum reward per round and earn the most with the rest, without knowing what any
arm pays. See :class:`BanditQ`, :func:`simulate` and :meth:`Policy.start`.
"""

from .agent import Agent, Choice
from .arena.match import Arena, arena
from .compare import Comparison, compare
from .config import Config
from .errors import (
    BanditqError,
    Infeasible,
    InterruptedRun,
    InvalidInput,
    PolicyFailed,
    UnknownChoice,
)
from .feasibility import Feasibility, feasibility, feasibility_from_data, first_order_feasibility
from .instances import INSTANCES, Instance, instance
from .kernels.compiling import implements, kernel
from .kernels.noise import uniform
from .kernels.protocol import (
    Allocation,
    Decision,
    allocate,
    choose,
    draw,
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
from .policies.epsilon_greedy import EpsilonGreedy
from .policies.fixed_mix import FixedMix
from .policies.kl_ucb import KLUCB
from .policies.lfg import LFG
from .policies.moss import MOSS
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
    "INSTANCES",
    "KLUCB",
    "LFG",
    "MOSS",
    "OGA",
    "UCB1",
    "AdaHedge",
    "Adversarial",
    "Agent",
    "Allocation",
    "Alone",
    "Arena",
    "BanditQ",
    "BanditqError",
    "Benchmark",
    "Bernoulli",
    "Beta",
    "Choice",
    "Comparison",
    "Config",
    "Decision",
    "Drift",
    "EpsilonGreedy",
    "Exp3",
    "Exp3IX",
    "Feasibility",
    "FixedMix",
    "Hedge",
    "Infeasible",
    "Instance",
    "InterruptedRun",
    "InvalidInput",
    "Learner",
    "LogBarrier",
    "Policy",
    "PolicyFailed",
    "Problem",
    "Result",
    "RewardModel",
    "SoloFTRL",
    "Squint",
    "Summary",
    "Table",
    "Terms",
    "ThompsonSampling",
    "TsallisInf",
    "Uniform",
    "UnknownChoice",
    "Verdict",
    "allocate",
    "arena",
    "choose",
    "compare",
    "draw",
    "feasibility",
    "feasibility_from_data",
    "first_order_feasibility",
    "implements",
    "instance",
    "kernel",
    "law",
    "learn",
    "mean",
    "pick",
    "sample",
    "simulate",
    "uniform",
    "uses_bound",
]
