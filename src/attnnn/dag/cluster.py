"""What a study asks of a Slurm cluster, and whether the cluster can give it.

Slurm keeps a job that asks for what no node has in the queue for ever. `check` therefore asks the
cluster before anything is submitted, with commands that answer at once.
"""

from __future__ import annotations

import getpass
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnnn.errors import UserError

COMMANDS = ("sbatch", "squeue", "scancel", "sinfo", "scontrol")
GPU_RULES = ("train", "measure", "search", "replace")
PROFILE = "workflow/profiles/slurm/config.yaml"
PATIENCE = 20.0
"""Seconds for one answer; Slurm's own commands give up after about ten."""


@dataclass(frozen=True)
class Ask:
    """What the jobs of one rule ask for.

    Attributes:
        key: where the profile says so: ``set-resources: train``.
        partitions: where they may run; none means the cluster's default partition.
        account: that is charged, if one is named.
        gpus: of one job.
        gpu_model: Slurm's name of the type of GPU, if one is named.
    """

    key: str
    partitions: tuple[str, ...]
    account: str | None
    gpus: int
    gpu_model: str | None


def submits(resources: Any) -> bool:
    """Whether Snakemake's resource settings are those of a cluster, where jobs run elsewhere.

    Snakemake does not say so while it reads a workflow. In the profile for Slurm, GPUs are counted in a
    job and not over all jobs, as each job has those of its node; jobs may name a partition or account.
    """
    counted_in_a_job = resources.overwrite_resource_scopes.get("gpu") == "local"
    return counted_in_a_job or any(
        name.startswith("slurm_") for name in resources.default_resources or ()
    )


def asks(resources: Any, *, gpus: int) -> list[Ask]:
    """What each rule asks for.

    Args:
        resources: Snakemake's resource settings, from its profile and command line.
        gpus: of a job that trains or needs gradients, where the settings name no number.
    """
    default = _raw(resources.default_resources or {})
    asked = [_ask("default-resources", default, 0)]
    for rule in sorted({*resources.overwrite_resources, *GPU_RULES}):
        own = default | _raw(resources.overwrite_resources.get(rule, {}))
        asked.append(_ask(f"set-resources: {rule}", own, gpus if rule in GPU_RULES else 0))
    return asked


def check(asked: list[Ask]) -> None:
    """Refuse what no job of this cluster could get.

    Raises:
        UserError: there are no Slurm commands, no controller answers, a partition or account does not
            exist, or no node has the GPUs.
    """
    _check_controller()
    there = _partitions()
    for ask in asked:
        for partition in ask.partitions:
            if partition not in there:
                raise UserError(
                    f"{PROFILE}: {ask.key}: slurm_partition: expected one of "
                    f"{', '.join(sorted(there))}, found {partition!r}; name one that `sinfo` lists"
                )
        _check_gpus(ask, there)
    _check_accounts(asked)


def _check_controller() -> None:
    missing = [command for command in COMMANDS if shutil.which(command) is None]
    if missing:
        raise UserError(
            f"the profile submits to Slurm, but there is no {', '.join(missing)} on this machine; run it "
            "where jobs are submitted, or leave --workflow-profile out to run here"
        )
    answer = _answer("scontrol", "ping")
    if not re.search(r"\bis UP\b", answer):
        told = " ".join(answer.split("***")[0].split()) or "no answer"
        raise UserError(
            f"Slurm's controller does not answer (`scontrol ping`: {told}); nothing was submitted, run "
            "the same command again once it does"
        )


def _partitions() -> dict[str, list[str]]:
    """Generic resources of the nodes of every partition, one text a kind of node."""
    found: dict[str, list[str]] = {}
    for line in _answer("sinfo", "--noheader", "--all", "--format=%R|%G").splitlines():
        partition, separator, generic = line.strip().partition("|")
        if separator:
            found.setdefault(partition, []).append(generic)
    return found


def _check_gpus(ask: Ask, there: Mapping[str, list[str]]) -> None:
    if ask.gpus == 0:
        return
    places = ask.partitions or tuple(there)
    nodes = [generic for place in places for generic in there[place]]
    if any(gpus_of(generic, ask.gpu_model) >= ask.gpus for generic in nodes):
        return
    kind = "GPU" if ask.gpu_model is None else f"GPU of type {ask.gpu_model!r}"
    have = sorted({part for generic in nodes for part in _gpu_parts(generic)})
    raise UserError(
        f"{PROFILE}: {ask.key}: expected a node with {ask.gpus} {kind} in partition "
        f"{', '.join(places)}, found {', '.join(have) if have else 'none with a GPU'}; change "
        "slurm_partition, gpu_model or gpu, or say --config device=cpu"
    )


def gpus_of(generic: str, model: str | None) -> int:
    """GPUs in a node's generic resources as Slurm writes them: ``gpu:a100:4(S:0-1),shard:8``.

    Args:
        generic: the text.
        model: count those of this type alone.
    """
    total = 0
    for part in _gpu_parts(generic):
        fields = part.split(":")
        kind = fields[1] if len(fields) == 3 else None
        if model is None or kind == model:
            total += int(fields[-1])
    return total


def _gpu_parts(generic: str) -> list[str]:
    bare = re.sub(r"\([^)]*\)", "", generic)
    return [part for part in bare.split(",") if re.fullmatch(r"gpu(:[^:]+)?:\d+", part)]


def _check_accounts(asked: list[Ask]) -> None:
    """Where accounts are kept, those that are named must be the user's."""
    named = {ask.account: ask.key for ask in reversed(asked) if ask.account is not None}
    if not named or shutil.which("sacctmgr") is None:
        return
    user = getpass.getuser()
    # Without accounting sacctmgr fails, and Slurm takes any account.
    answer = _answer("sacctmgr", "--noheader", "--parsable2", "list", "associations",
                     f"user={user}", "format=account", failing_says="")  # fmt: skip
    known = {line.strip().lower() for line in answer.splitlines() if line.strip()}
    for account, key in named.items():
        if known and account.lower() not in known:
            raise UserError(
                f"{PROFILE}: {key}: slurm_account: expected one of {', '.join(sorted(known))}, the "
                f"accounts of user {user}, found {account!r}"
            )


def _answer(*command: str, failing_says: str | None = None) -> str:
    """What a command prints; `failing_says` in its place where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            f"Slurm does not answer: `{' '.join(command)}` took more than {PATIENCE:.0f} s"
        ) from None
    if done.returncode != 0 and failing_says is not None:
        return failing_says
    return done.stdout or done.stderr


def _ask(key: str, settings: Mapping[str, str], gpus: int) -> Ask:
    number = settings.get("gpu", "")
    return Ask(
        key=key,
        partitions=tuple(p.strip() for p in settings.get("slurm_partition", "").split(",") if p),
        account=settings.get("slurm_account") or None,
        # An expression is Snakemake's to work out; it is taken for what the rule says by itself.
        gpus=int(number) if number.isdigit() else gpus,
        gpu_model=settings.get("gpu_model") or None,
    )


def _raw(settings: Mapping[str, Any]) -> dict[str, str]:
    """Resources as the profile spells them; Snakemake would evaluate them for one job."""
    return {name: str(getattr(value, "raw", value)).strip() for name, value in settings.items()}
