def checked(wildcards):
    """The list of sound corpora: everything that trains waits for it, and its age reruns nothing."""
    return ancient(checkpoints.check.get().output[0])
