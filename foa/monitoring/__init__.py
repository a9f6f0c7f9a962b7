"""Monitoring: probes, metrics, and the request id of each log line."""
