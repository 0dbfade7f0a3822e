rule train:
    input:
        unpack(dag.inputs("train")),
    output:
        **dag.outputs("train"),
    log:
        dag.log("train"),
    benchmark:
        dag.benchmark("train")
    priority: dag.priority("train")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("train")
    resources:
        **dag.resources("train"),
    params:
        config=dag.config,
        settings=dag.settings("train"),
    shell:
        "attnnn train --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2> {log:q}"
