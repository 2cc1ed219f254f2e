"""Published claims about Python serialization as data, and the rule of their verdicts."""
