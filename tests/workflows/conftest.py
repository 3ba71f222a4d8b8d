"""What tests of workflows share with those of GitHub."""

from tests.github.conftest import github as github
