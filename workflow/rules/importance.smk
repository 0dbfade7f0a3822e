rule measure:
    input:
        documents=paths.corpus("{corpus}", "documents.parquet"),
        weights=paths.model("{corpus}", "{model}", "{seed}", "weights.safetensors"),
        description=paths.model("{corpus}", "{model}", "{seed}", "model.json"),
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        checked=checked,
    output:
        expand(
            paths.importance("{{corpus}}", "{{model}}", "{{seed}}", "{method}"),
            method=layout.IMPORTANCE_METHODS,
        ),
    log:
        paths.log("measure", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("measure", "{corpus}", "{model}", "seed-{seed}")
    conda:
        "../../envs/attnnn.yaml"
    threads: plan.study.threads
    resources:
        gpu=plan.gpu,
        mem_mb=growing(4000),
        runtime=growing(360),
    params:
        config=paths.config(),
        settings=plan.settings("measure"),
    shell:
        "attnnn measure --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} --threads {threads} 2>> {log:q}"


rule correlate:
    input:
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        importances=plan.importances,
        checked=checked,
    output:
        paths.analysis("correlation", "{corpus}", "{model}", "{seed}"),
    log:
        paths.log("correlate", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("correlate", "{corpus}", "{model}", "seed-{seed}")
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
        settings=plan.settings("compare"),
    shell:
        "attnnn correlate --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2>> {log:q}"
