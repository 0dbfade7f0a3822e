rule prepare:
    input:
        plan.sources,
    output:
        documents=paths.corpus("{corpus}", "documents.parquet"),
        vocabulary=paths.corpus("{corpus}", "vocabulary.parquet"),
        description=paths.corpus("{corpus}", "description.json"),
    log:
        paths.log("prepare", "{corpus}"),
    benchmark:
        paths.benchmark("prepare", "{corpus}")
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        config=paths.config(),
        settings=plan.settings("prepare"),
    shell:
        "attnnn prepare --config {params.config:q} --corpus {wildcards.corpus} 2>> {log:q}"


# Everything that trains waits for all corpora to be found sound, so that a faulty one costs no
# training. A checkpoint, and not a rule, because Snakemake decides anew after it what must be rerun:
# adding a corpus then neither retrains the others nor hides a change of their settings.
checkpoint check:
    input:
        expand(paths.corpus("{corpus}", "description.json"), corpus=plan.study.corpora),
    output:
        paths.checked(),
    log:
        paths.log("check"),
    benchmark:
        paths.benchmark("check")
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        config=paths.config(),
    shell:
        "attnnn check --config {params.config:q} 2>> {log:q}"


rule embed:
    input:
        documents=paths.corpus("{corpus}", "documents.parquet"),
        vocabulary=paths.corpus("{corpus}", "vocabulary.parquet"),
        vectors=plan.vectors,
        checked=checked,
    output:
        paths.corpus("{corpus}", "embedding.safetensors"),
    log:
        paths.log("embed", "{corpus}"),
    benchmark:
        paths.benchmark("embed", "{corpus}")
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        config=paths.config(),
        settings=plan.settings("embed"),
    shell:
        "attnnn embed --config {params.config:q} --corpus {wildcards.corpus} 2>> {log:q}"


rule weigh:
    input:
        documents=paths.corpus("{corpus}", "documents.parquet"),
        vocabulary=paths.corpus("{corpus}", "vocabulary.parquet"),
        checked=checked,
    output:
        paths.corpus("{corpus}", "log_odds.parquet"),
    log:
        paths.log("weigh", "{corpus}"),
    benchmark:
        paths.benchmark("weigh", "{corpus}")
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        config=paths.config(),
        settings=plan.settings("weigh"),
    shell:
        "attnnn weigh --config {params.config:q} --corpus {wildcards.corpus} 2>> {log:q}"
