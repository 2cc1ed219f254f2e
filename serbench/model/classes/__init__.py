"""Readers of users' classes."""
