rule permute:
    input:
        unpack(dag.inputs("permute")),
    output:
        **dag.outputs("permute"),
    log:
        dag.log("permute"),
    benchmark:
        dag.benchmark("permute")
    group:
        "analyses"
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("permute")
    resources:
        **dag.resources("permute"),
    params:
        config=dag.config,
        settings=dag.settings("permute"),
    shell:
        "attnnn permute --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2> {log:q}"


rule search:
    input:
        unpack(dag.inputs("search")),
    output:
        **dag.outputs("search"),
    log:
        dag.log("search"),
    benchmark:
        dag.benchmark("search")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("search")
    resources:
        **dag.resources("search"),
    params:
        config=dag.config,
        settings=dag.settings("search"),
    shell:
        "attnnn search --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} --threads {threads} 2> {log:q}"


rule solve:
    input:
        unpack(dag.inputs("solve")),
    output:
        **dag.outputs("solve"),
    log:
        dag.log("solve"),
    benchmark:
        dag.benchmark("solve")
    group:
        "analyses"
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("solve")
    resources:
        **dag.resources("solve"),
    params:
        config=dag.config,
        settings=dag.settings("solve"),
    shell:
        "attnnn solve --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} 2> {log:q}"


rule replace:
    input:
        unpack(dag.inputs("replace")),
    output:
        **dag.outputs("replace"),
    log:
        dag.log("replace"),
    benchmark:
        dag.benchmark("replace")
    conda:
        "../../envs/attnnn.yaml"
    threads: dag.threads("replace")
    resources:
        **dag.resources("replace"),
    params:
        config=dag.config,
        settings=dag.settings("replace"),
    shell:
        "attnnn replace --config {params.config:q} --corpus {wildcards.corpus}"
        " --run {wildcards.model}/seed-{wildcards.seed} --threads {threads} 2> {log:q}"
