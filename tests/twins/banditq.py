"""The reduction written from its equations: whole queue vectors, every round, no laziness."""

import copy

import numpy as np


class BanditQTwin:
    """Bandit or full information; rewards may come late. Rewards and targets in units of 1."""

    def __init__(self, targets, learner, *, full, v=None, growth=None, after=False, start=None):
        self.targets = np.array(targets, float)
        self.learner = learner
        self.full, self.v, self.growth, self.after = full, v, growth, after
        self.queue = np.zeros(self.targets.size) if start is None else np.array(start, float)
        self.round = 0

    def surrogate(self, queue, round):
        """What a unit of reward counts for."""
        return 1 + queue / (self.growth * np.sqrt(round)) if self.growth else queue + self.v

    def open(self):
        """A new round: what must be remembered of it, and the law."""
        self.round += 1
        ahead = self.targets if self.after else 0.0
        owed = np.where(self.targets > 0, self.queue + ahead, 0.0)
        bound = self.surrogate(owed.max(), self.round)
        law = copy.copy(self.learner.law(float(bound)))  # some twins calculate in decimals
        record = {"round": self.round, "queue": self.queue, "bound": float(bound)}
        record |= {"played": law, "law": np.array(law, float)}
        self.queue = self.queue + self.targets
        return record

    def learn(self, record, arm, rewards):
        """The rewards of a round; under bandit feedback only that of ``arm`` is looked at."""
        played = record["law"] if self.full else np.eye(self.targets.size)[arm]
        service = played * np.where(played > 0, rewards, 0.0)
        protected = self.targets > 0
        self.queue = np.where(protected, np.maximum(self.queue - service, 0.0), 0.0)
        queue = record["queue"]
        if self.after:
            queue = np.where(protected, np.maximum(queue + self.targets - service, 0.0), 0.0)
        gains = self.surrogate(queue, record["round"]) * rewards
        if self.full:
            self.learner.learn(record["played"], gains, record["bound"])
        else:
            probability = record["law"][arm]
            self.learner.learn(arm, gains[arm], record["bound"], probability)
