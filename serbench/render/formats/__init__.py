"""Byte formats and their codecs, one file each."""
