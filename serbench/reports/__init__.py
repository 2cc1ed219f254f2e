"""The notebooks' headless twin: papermill runs them, and from the runs that they publish come tables, figures and pages."""
