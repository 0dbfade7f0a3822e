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
        " --model {wildcards.model} --seed {wildcards.seed} 2>> {log:q}"


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
        " --model {wildcards.model} --seed {wildcards.seed} --threads {threads} 2>> {log:q}"


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
        " --model {wildcards.model} --seed {wildcards.seed} 2>> {log:q}"


rule diverge:
    input:
        predictions=paths.model("{corpus}", "{model}", "{seed}", "predictions.parquet"),
        base=plan.base,
        checked=checked,
    output:
        paths.analysis("divergence", "{corpus}", "{model}", "{seed}"),
    log:
        paths.log("diverge", "{corpus}", "{model}", "seed-{seed}"),
    benchmark:
        paths.benchmark("diverge", "{corpus}", "{model}", "seed-{seed}")
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
        "attnnn diverge --config {params.config:q} --corpus {wildcards.corpus}"
        " --model {wildcards.model} --seed {wildcards.seed} 2>> {log:q}"
