"""Benchmark harnesses: the contract of one, and a folder for each."""

from steady.harness.contract import Format as Format
from steady.harness.contract import Harness as Harness
from steady.harness.contract import Running as Running
