"""The web frameworks whose endpoints are measured, one file each."""
