"""Numbers and untrusted text as they are printed, wherever that is."""
