"""How fast: a round, a live call, a whole experiment; beside a plain loop and other people's code."""
