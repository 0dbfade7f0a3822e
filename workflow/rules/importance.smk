for job in plan.jobs_of("measure"):

    rule:
        name:
            job.rule("measure")
        input:
            documents=paths.corpus(job.corpus, "documents.parquet"),
            models=plan.trained(job),
            checked=checked,
        output:
            plan.importances(job),
        log:
            paths.log("measure", job.corpus, job.name),
        benchmark:
            paths.benchmark("measure", job.corpus, job.name)
        conda:
            "../../envs/attnnn.yaml"
        threads: plan.study.threads
        resources:
            gpu=plan.gpu,
            mem_mb=growing(4000),
            runtime=growing(360),
        params:
            config=paths.config(),
            settings=plan.settings_of("measure", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn measure --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " --threads {threads} 2>> {log:q}"


for job in plan.jobs_of("correlate"):

    rule:
        name:
            job.rule("correlate")
        input:
            predictions=plan.predictions(job),
            importances=plan.importances(job),
            checked=checked,
        output:
            plan.analyses(job, "correlation"),
        log:
            paths.log("correlate", job.corpus, job.name),
        benchmark:
            paths.benchmark("correlate", job.corpus, job.name)
        group:
            "analyses"
        conda:
            "../../envs/attnnn.yaml"
        threads: 1
        resources:
            mem_mb=growing(1000),
            runtime=growing(30),
        params:
            config=paths.config(),
            settings=plan.settings_of("correlate", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn correlate --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"
