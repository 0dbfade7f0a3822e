"""What a study will take: the work that its jobs declare, at rates measured on finished ones."""
