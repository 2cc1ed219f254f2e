"""Runs as values, and how they are measured into the store, here or on other machines."""
