"""Settings of a repository: thresholds, ignored benchmarks and accepted changes."""

from steady.model.by_name import matches as matches
from steady.options.shared_options import DEFAULT_SETTINGS as DEFAULT_SETTINGS
from steady.settings.repo_settings import RepoSettings as RepoSettings
from steady.settings.repo_settings import utc_today as utc_today
from steady.settings.settings_file import SettingsError as SettingsError
from steady.settings.settings_file import chosen_settings as chosen_settings
from steady.settings.settings_file import read_settings as read_settings
