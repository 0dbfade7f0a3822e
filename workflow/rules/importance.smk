rule measure:
    input:
        unpack(dag.inputs("measure")),
    output:
        **dag.outputs("measure"),
    log:
        dag.log("measure"),
    benchmark:
        dag.benchmark("measure")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("measure")
    resources:
        **dag.resources("measure"),
    params:
        config=dag.config,
        settings=dag.settings("measure"),
    shell:
        "attnnn measure --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} --threads {threads} 2> {log:q}"


rule correlate:
    input:
        unpack(dag.inputs("correlate")),
    output:
        **dag.outputs("correlate"),
    log:
        dag.log("correlate"),
    benchmark:
        dag.benchmark("correlate")
    group:
        "analyses"
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("correlate")
    resources:
        **dag.resources("correlate"),
    params:
        config=dag.config,
        settings=dag.settings("correlate"),
    shell:
        "attnnn correlate --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2> {log:q}"
