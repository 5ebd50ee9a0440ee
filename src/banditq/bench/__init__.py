"""How fast: a round, a live call, a whole experiment; beside a plain loop and beside other people's code."""
