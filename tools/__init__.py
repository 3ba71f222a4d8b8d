"""What developers run on the repository; no part of the package."""
