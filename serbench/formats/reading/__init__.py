"""Independent readers of byte formats, used for verification if no second implementation can be installed.

They follow the format's specification, read what its codec writes for serbench's data, and raise ValueError for
anything else. They are never timed.
"""
