"""Interpreters with exact packages, in which cases run; "main" is serbench's own."""
