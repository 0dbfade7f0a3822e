for job in plan.jobs_of("permute"):

    rule:
        name:
            job.rule("permute")
        input:
            predictions=plan.predictions(job),
            checked=checked,
        output:
            plan.analyses(job, "permutation"),
        log:
            paths.log("permute", job.corpus, job.name),
        benchmark:
            paths.benchmark("permute", job.corpus, job.name)
        group:
            "analyses"
        conda:
            "../../envs/attnnn.yaml"
        threads: 1
        resources:
            mem_mb=growing(2000),
            runtime=growing(30),
        params:
            config=paths.config(),
            settings=plan.settings_of("permute", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn permute --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"


for job in plan.jobs_of("search"):

    rule:
        name:
            job.rule("search")
        input:
            predictions=plan.predictions(job),
            checked=checked,
        output:
            plan.analyses(job, "searched_adversary", "searched_candidates"),
        log:
            paths.log("search", job.corpus, job.name),
        benchmark:
            paths.benchmark("search", job.corpus, job.name)
        conda:
            "../../envs/attnnn.yaml"
        threads: plan.study.threads
        resources:
            gpu=plan.gpu,
            mem_mb=growing(4000),
            runtime=growing(360),
        params:
            config=paths.config(),
            settings=plan.settings_of("search", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn search --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " --threads {threads} 2>> {log:q}"


for job in plan.jobs_of("solve"):

    rule:
        name:
            job.rule("solve")
        input:
            predictions=plan.predictions(job),
            starts=plan.starts(job),
            checked=checked,
        output:
            plan.analyses(job, "exact_adversary"),
        log:
            paths.log("solve", job.corpus, job.name),
        benchmark:
            paths.benchmark("solve", job.corpus, job.name)
        group:
            "analyses"
        conda:
            "../../envs/attnnn.yaml"
        threads: 1
        resources:
            mem_mb=growing(2000),
            runtime=growing(30),
        params:
            config=paths.config(),
            settings=plan.settings_of("solve", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn solve --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"


for job in plan.jobs_of("replace"):

    rule:
        name:
            job.rule("replace")
        input:
            documents=paths.corpus(job.corpus, "documents.parquet"),
            log_odds=paths.corpus(job.corpus, "log_odds.parquet"),
            models=plan.trained(job),
            checked=checked,
        output:
            plan.analyses(job, "replacement"),
        log:
            paths.log("replace", job.corpus, job.name),
        benchmark:
            paths.benchmark("replace", job.corpus, job.name)
        conda:
            "../../envs/attnnn.yaml"
        threads: plan.study.threads
        resources:
            gpu=plan.gpu,
            mem_mb=growing(4000),
            runtime=growing(60),
        params:
            config=paths.config(),
            settings=plan.settings_of("replace", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn replace --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " --threads {threads} 2>> {log:q}"


for job in plan.jobs_of("diverge"):

    rule:
        name:
            job.rule("diverge")
        input:
            predictions=plan.predictions(job),
            base=plan.base(job),
            checked=checked,
        output:
            plan.analyses(job, "divergence"),
        log:
            paths.log("diverge", job.corpus, job.name),
        benchmark:
            paths.benchmark("diverge", job.corpus, job.name)
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
            settings=plan.settings_of("diverge", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn diverge --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"
