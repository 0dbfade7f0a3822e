# The debate about attention as explanation, from texts to tables and figures.
#
#   snakemake --cores 8 --resources gpu=1            everything, of config/config.yaml
#   snakemake results/figures/fig5.pdf               one figure and what it needs
#   snakemake --configfile config/sst.yaml --config corpora_dir=DIR results_dir=DIR2
from snakemake.utils import min_version

min_version("9.6")

from attnnn.dag.workflow import read_dag
from attnnn.study.resolved import write_resolved

# Snakemake merges configuration files; a corpus of the default one must not slip into another study.
if "corpora" not in config:

    configfile: "config/config.yaml"


dag = read_dag(
    config,
    check=workflow.is_main_process,
    resources=workflow.resource_settings,
)


wildcard_constraints:
    **dag.constraints,


rule all:
    default_target: True
    input:
        dag.targets(),


include: "workflow/rules/corpora.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/importance.smk"
include: "workflow/rules/counterfactual.smk"
include: "workflow/rules/erasure.smk"
include: "workflow/rules/exhibits.smk"


# Jobs read the resolved configuration. It is written here, after Snakemake has locked the folder,
# so that a dry run never changes it under a running study.
onstart:
    write_resolved(dag.study)
