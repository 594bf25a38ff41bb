"""How fast the referee is beside its peers; `python -m tests.benchmarks` prints the table."""
