def checked(wildcards):
    """The list of sound corpora: everything that trains waits for it, and its age reruns nothing."""
    return ancient(checkpoints.check.get().output[0])


# A job that does several runs is a rule of its own, as Snakemake's wildcards cannot name them. What is set
# for `train`, `measure` and so on, on the command line or in a profile, is meant for all of these.
for kind in KINDS:
    for settings in (
        workflow.resource_settings.overwrite_resources,
        workflow.resource_settings.overwrite_threads,
    ):
        if kind in settings:
            for job in plan.jobs_of(kind):
                settings.setdefault(job.rule(kind), settings[kind])


# Snakemake deletes a job's log before it tries the job again. In a job of a cluster, the log that the
# command appends to gets a second name therefore, by the number of the cluster's job, which stays.
if workflow.remote_exec:
    shell.prefix(
        "set -euo pipefail; "
        'attempt_log=$(eval "echo ${{BASH_EXECUTION_STRING##*2>> }}"); '
        'touch "$attempt_log"; '
        'ln -f "$attempt_log" "${{attempt_log%.log}}.job-${{SLURM_JOB_ID:-$$}}.log"; '
    )
