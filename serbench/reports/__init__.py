"""Runs the notebooks unattended with papermill, and makes tables, figures and pages of the runs they publish."""
