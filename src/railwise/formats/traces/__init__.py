"""Maps and traces that others have published, turned into scenarios; the data are not part of the project.

``load`` reads a job stream, ``combine`` puts it on a cluster.
"""

from railwise.formats.traces.job_trace import JobTrace, LoadOptions, TraceJob, TracePart
from railwise.formats.traces.replay import ReplayOptions, combine
from railwise.formats.traces.streams import load

__all__ = ["JobTrace", "LoadOptions", "ReplayOptions", "TraceJob", "TracePart", "combine", "load"]
