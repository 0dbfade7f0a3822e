"""What a study will take, before anything is submitted: jobs, hours and disk."""
