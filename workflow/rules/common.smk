def checked(wildcards):
    """The list of sound corpora: everything that trains waits for it, and its age reruns nothing."""
    return ancient(checkpoints.check.get().output[0])


# A job that trains several runs is a rule of its own, as Snakemake's wildcards cannot name them. What
# is set for `train` or `diverge` on the command line or in a profile is meant for all of these.
for job in plan.jobs:
    for settings in (
        workflow.resource_settings.overwrite_resources,
        workflow.resource_settings.overwrite_threads,
    ):
        for kind in ("train", "diverge"):
            if kind in settings:
                settings.setdefault(job.rule(kind), settings[kind])
