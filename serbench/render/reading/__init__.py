"""Readers of formats for which no second independent reader can be installed."""
