"""SplitMix64 as published, a generator with a state, in Python integers; and its inverse."""

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
FIRST = 0xBF58476D1CE4E5B9
SECOND = 0x94D049BB133111EB


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + GAMMA) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * FIRST % 2**64
        z = (z ^ (z >> 27)) * SECOND % 2**64
        return z ^ (z >> 31)


def unshift(z, shift):
    """The x with x ^ (x >> shift) = z."""
    x = z
    for _ in range(64 // shift):
        x = z ^ (x >> shift)
    return x


def seed_before(output):
    """The seed whose first output is this."""
    z = unshift(output, 31) * pow(SECOND, -1, 2**64) % 2**64
    z = unshift(z, 27) * pow(FIRST, -1, 2**64) % 2**64
    return (unshift(z, 30) - GAMMA) % 2**64


def seed_for_uniform(u):
    """A seed whose first output has u as its upper 53 bits, read as a number in [0, 1)."""
    return seed_before(int(u * 2**53) << 11)
