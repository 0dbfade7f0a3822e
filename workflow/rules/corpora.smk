rule prepare:
    input:
        unpack(dag.inputs("prepare")),
    output:
        **dag.outputs("prepare"),
    log:
        dag.log("prepare"),
    benchmark:
        dag.benchmark("prepare")
    priority: dag.priority("prepare")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("prepare")
    resources:
        **dag.resources("prepare"),
    params:
        config=dag.config,
        settings=dag.settings("prepare"),
    shell:
        "attnnn prepare --config {params.config:q} --corpus {wildcards.corpus} 2> {log:q}"


rule embed:
    input:
        unpack(dag.inputs("embed")),
    output:
        **dag.outputs("embed"),
    log:
        dag.log("embed"),
    benchmark:
        dag.benchmark("embed")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("embed")
    resources:
        **dag.resources("embed"),
    params:
        config=dag.config,
        settings=dag.settings("embed"),
    shell:
        "attnnn embed --config {params.config:q} --corpus {wildcards.corpus} 2> {log:q}"


rule weigh:
    input:
        unpack(dag.inputs("weigh")),
    output:
        **dag.outputs("weigh"),
    log:
        dag.log("weigh"),
    benchmark:
        dag.benchmark("weigh")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("weigh")
    resources:
        **dag.resources("weigh"),
    params:
        config=dag.config,
        settings=dag.settings("weigh"),
    shell:
        "attnnn weigh --config {params.config:q} --corpus {wildcards.corpus} 2> {log:q}"


rule segment:
    input:
        unpack(dag.inputs("segment")),
    output:
        **dag.outputs("segment"),
    log:
        dag.log("segment"),
    benchmark:
        dag.benchmark("segment")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("segment")
    resources:
        **dag.resources("segment"),
    params:
        config=dag.config,
        settings=dag.settings("segment"),
    shell:
        "attnnn segment --config {params.config:q} --corpus {wildcards.corpus} 2> {log:q}"
