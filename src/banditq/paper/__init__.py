"""The paper's experiments as data, its claims as checks, and the page that shows both."""
