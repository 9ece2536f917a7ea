"""Reads BPMN files into plain records, and lists everything seen on the way.

Reading refuses nothing that it can represent: it fills a ``Model``, and writes down
as ``Facts`` every attribute, child and extension it met. The lint compares the
facts with its tables, so that nothing in a file can be overlooked silently.
"""

from mpms.engine.reading.document import Reading, read, read_model
from mpms.engine.reading.facts import Facts, Trait

__all__ = ["Facts", "Reading", "Trait", "read", "read_model"]
