rule train:
    input:
        documents=paths.corpus("{corpus}", "documents.parquet"),
        vocabulary=paths.corpus("{corpus}", "vocabulary.parquet"),
        embedding=plan.embedding,
        guide=plan.guide,
        checked=checked,
    output:
        weights=paths.model("{corpus}", "{model}", "{seed}", "weights.safetensors"),
        description=paths.model("{corpus}", "{model}", "{seed}", "model.json"),
        history=paths.model("{corpus}", "{model}", "{seed}", "history.parquet"),
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
    log:
        paths.log("train", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("train", "{corpus}", "{model}", "seed-{seed}")
    priority: plan.urgency
    conda:
        "../../envs/attnnn.yaml"
    threads: plan.study.threads
    resources:
        gpu=plan.gpu,
        mem_mb=growing(4000),
        runtime=growing(720),
    params:
        config=paths.config(),
        settings=plan.settings("train"),
    shell:
        "attnnn train --config {params.config:q} --corpus {wildcards.corpus}"
        " --model {wildcards.model} --seed {wildcards.seed} --threads {threads} 2>> {log:q}"
