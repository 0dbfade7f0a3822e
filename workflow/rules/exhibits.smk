rule table:
    input:
        dag.shown("table"),
    output:
        report(
            dag.exhibit_file("table", "csv"),
            caption="../report/exhibit.rst",
            category=dag.category("table"),
            labels=dag.labels("table"),
        ),
        dag.exhibit_file("table", "md"),
        dag.exhibit_file("table", "tex"),
    log:
        dag.exhibit_log("table"),
    benchmark:
        dag.exhibit_benchmark("table")
    wildcard_constraints:
        name=dag.names("table"),
    group:
        "exhibits"
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        config=dag.config,
        settings=dag.exhibit_settings("table"),
        caption=dag.caption("table"),
    shell:
        "attnnn table {wildcards.name} --config {params.config:q} 2> {log:q}"


rule figure:
    input:
        dag.shown("figure"),
    output:
        dag.exhibit_file("figure", "pdf"),
        report(
            dag.exhibit_file("figure", "png"),
            caption="../report/exhibit.rst",
            category=dag.category("figure"),
            labels=dag.labels("figure"),
        ),
    log:
        dag.exhibit_log("figure"),
    benchmark:
        dag.exhibit_benchmark("figure")
    wildcard_constraints:
        name=dag.names("figure"),
    group:
        "exhibits"
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        config=dag.config,
        settings=dag.exhibit_settings("figure"),
        caption=dag.caption("figure"),
    shell:
        "attnnn figure {wildcards.name} --config {params.config:q} 2> {log:q}"
