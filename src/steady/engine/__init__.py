"""Running a suite: base and head take turns on one machine."""

from steady.engine.agenda import Agenda as Agenda
from steady.engine.agenda import FollowUp as FollowUp
from steady.engine.live_stop import StopRule as StopRule
from steady.engine.progress import PlainLines as PlainLines
from steady.engine.progress import Watcher as Watcher
from steady.engine.run_file import Header as Header
from steady.engine.run_file import Target as Target
from steady.engine.run_folder import RunFolder as RunFolder
from steady.engine.runner import run_trials as run_trials
from steady.engine.schedule import further_rounds as further_rounds
from steady.engine.schedule import schedule as schedule
from steady.engine.schedule import with_starts as with_starts
from steady.engine.state import RunState as RunState
from steady.engine.workload import Workload as Workload
from steady.harness.runs import ForkResult as ForkResult
from steady.harness.runs import HarnessSettings as HarnessSettings
from steady.harness.runs import RunFacts as RunFacts
from steady.harness.runs import Runs as Runs
from steady.harness.runs import Session as Session
from steady.harness.runs import Turn as Turn
from steady.harness.runs import Turns as Turns
from steady.harness.trial import Trial as Trial
from steady.harness.trial import TrialError as TrialError
from steady.harness.trial import Version as Version
