"""Executes the notebooks unattended, and makes tables, figures and pages of the runs they publish."""
