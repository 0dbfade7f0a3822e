for job in plan.jobs_of("train"):

    rule:
        name:
            job.rule("train")
        input:
            documents=paths.corpus(job.corpus, "documents.parquet"),
            vocabulary=paths.corpus(job.corpus, "vocabulary.parquet"),
            embedding=plan.embedding(job),
            guides=plan.guides(job),
            checked=checked,
        output:
            plan.trained(job),
        log:
            paths.log("train", job.corpus, job.name),
        benchmark:
            paths.benchmark("train", job.corpus, job.name)
        priority: plan.urgency(job)
        conda:
            "../../envs/attnnn.yaml"
        threads: plan.study.threads * plan.at_once(job)
        resources:
            gpu=plan.gpu,
            mem_mb=growing(4000 * plan.at_once(job)),
            runtime=growing(720),
        params:
            config=paths.config(),
            settings=plan.settings_of("train", job),
            corpus=job.corpus,
            runs=job.options,
        # Every run takes the threads of the configuration, as its results depend on their number.
        shell:
            "attnnn train --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"
