"""How the office is: what probes ask, what is counted, and which request a line of the log belongs to."""
