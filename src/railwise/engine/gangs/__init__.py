"""What a workload asks for, where its pods run, and how many of them a decision must find."""
