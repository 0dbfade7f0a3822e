#!/usr/bin/env bash
# Snakemake runs this in the project's folder, inside an environment that it made of attnnn.yaml.
set -euo pipefail
pip install -c envs/constraints.txt .
