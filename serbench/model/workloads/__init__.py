"""Generated workloads, one file each."""
