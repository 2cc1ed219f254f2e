"""What data is: schemas, their readers, workloads, the files of users, and when two values are the same."""
