rule permute:
    input:
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        checked=checked,
    output:
        paths.analysis("permutation", "{corpus}", "{model}", "{seed}"),
    log:
        paths.log("permute", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("permute", "{corpus}", "{model}", "seed-{seed}")
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
        settings=plan.settings("permute"),
    shell:
        "attnnn permute --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2>> {log:q}"


rule search:
    input:
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        checked=checked,
    output:
        adversary=paths.analysis("searched_adversary", "{corpus}", "{model}", "{seed}"),
        candidates=paths.analysis(
            "searched_candidates", "{corpus}", "{model}", "{seed}"
        ),
    log:
        paths.log("search", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("search", "{corpus}", "{model}", "seed-{seed}")
    conda:
        "../../envs/attnnn.yaml"
    threads: plan.study.threads
    resources:
        gpu=plan.gpu,
        mem_mb=growing(4000),
        runtime=growing(360),
    params:
        config=paths.config(),
        settings=plan.settings("search"),
    shell:
        "attnnn search --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} --threads {threads} 2>> {log:q}"


rule solve:
    input:
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        checked=checked,
    output:
        paths.analysis("exact_adversary", "{corpus}", "{model}", "{seed}"),
    log:
        paths.log("solve", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("solve", "{corpus}", "{model}", "seed-{seed}")
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
        settings=plan.settings("solve"),
    shell:
        "attnnn solve --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2>> {log:q}"


for job in plan.diverging:

    rule:
        name:
            job.rule("diverge")
        input:
            predictions=plan.predictions(job),
            base=plan.base(job),
            checked=checked,
        output:
            plan.divergences(job),
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
            settings=plan.settings_of("compare", job),
            corpus=job.corpus,
            runs=job.options,
        shell:
            "attnnn diverge --config {params.config:q} --corpus {params.corpus} {params.runs}"
            " 2>> {log:q}"
