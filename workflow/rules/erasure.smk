rule erase:
    input:
        unpack(dag.inputs("erase")),
    output:
        **dag.outputs("erase"),
    log:
        dag.log("erase"),
    benchmark:
        dag.benchmark("erase")
    group:
        "analyses"
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("erase")
    resources:
        **dag.resources("erase"),
    params:
        config=dag.config,
        settings=dag.settings("erase"),
    shell:
        "attnnn erase --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2> {log:q}"
