"""The same engine in virtual time: clusters, months of jobs and failures without hardware and without waiting."""
