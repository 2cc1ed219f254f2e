"""Readers of byte formats written for verification alone, where no second implementation can be installed.

They follow the format's specification, read what its codec writes for serbench's data, and refuse the
rest with a ValueError; none is ever timed.
"""
