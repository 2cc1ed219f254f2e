"""Awkward values and wrong input (`values/`), and what cases do with them."""
