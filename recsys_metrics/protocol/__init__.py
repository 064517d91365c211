"""How the numbers are made: what trains, what tests, who is ranked against what."""

from recsys_metrics.protocol.splits import Split, leave_last_out, temporal_split

__all__ = ["Split", "leave_last_out", "temporal_split"]
