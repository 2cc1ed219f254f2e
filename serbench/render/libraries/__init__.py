"""Model libraries, one file each; none imports its library."""
