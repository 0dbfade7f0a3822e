rule table:
    input:
        plan.shown,
    output:
        expand(paths.table("{{name}}", "{form}"), form=layout.TABLE_FORMATS),
    log:
        paths.log("table", "{name}"),
    benchmark:
        paths.benchmark("table", "{name}")
    wildcard_constraints:
        name="|".join(layout.TABLES),
    group:
        "publish"
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        config=paths.config(),
        settings=plan.settings("publish"),
    shell:
        "attnnn table {wildcards.name} --config {params.config:q} 2>> {log:q}"


rule figure:
    input:
        plan.shown,
    output:
        expand(paths.figure("{{name}}", "{form}"), form=layout.FIGURE_FORMATS),
    log:
        paths.log("figure", "{name}"),
    benchmark:
        paths.benchmark("figure", "{name}")
    wildcard_constraints:
        name="|".join(layout.FIGURES),
    group:
        "publish"
    conda:
        "../../envs/attnnn.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        config=paths.config(),
        settings=plan.settings("publish"),
    shell:
        "attnnn figure {wildcards.name} --config {params.config:q} 2>> {log:q}"
