"""Regular expressions shared by several modules."""

import re

SUITE_KEY = re.compile(r"(?!.*--)[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Key of a suite. It is embedded in HTML comments, in which ``--`` is not allowed."""

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""Full hash of a commit: SHA-1, or SHA-256."""

SERVER = re.compile(r"https?://[A-Za-z0-9.:-]+")
"""Address of a server, without a path."""
