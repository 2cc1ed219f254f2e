"""Awkward values and wrong input, and what cases do with them."""
