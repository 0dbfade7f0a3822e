"""Whether a cluster can give what a study asks: against commands that answer as Slurm's do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attnnn.dag.cluster import Ask, asks, check, gpus_of, submits
from attnnn.errors import UserError

UP = "Slurmctld(primary) at head is UP"
SINFO = "cpu|(null)\ngpu|gpu:a100:4(S:0-1),shard:8\ngpu|gpu:v100:2\nsmall|gpu:1"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts commands on the path that print what they are given, and no other."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(**answers: str) -> None:
        told = {
            "sbatch": "",
            "squeue": "",
            "scancel": "",
            "sinfo": SINFO,
            "scontrol": UP,
            **answers,
        }
        for command, answer in told.items():
            status = 1 if answer.startswith("!") else 0
            file = tmp_path / command
            file.write_text(f"#!/bin/sh\nprintf '%s\\n' '{answer.lstrip('!')}'\nexit {status}\n")
            file.chmod(0o755)

    return put


def ask(**changes: Any) -> Ask:
    settings = {"partitions": ("gpu",), "account": None, "gpus": 1, "gpu_model": None, **changes}
    return Ask(key="set-resources: train", **settings)


def resources(
    default: dict[str, Any] | None = None,
    rules: dict[str, dict[str, Any]] | None = None,
    scopes: dict[str, str] | None = None,
) -> Any:
    def raw(settings: dict[str, Any]) -> dict[str, Any]:
        return {name: SimpleNamespace(raw=value) for name, value in settings.items()}

    return SimpleNamespace(
        default_resources=None if default is None else raw(default),
        overwrite_resources={rule: raw(own) for rule, own in (rules or {}).items()},
        overwrite_resource_scopes=scopes or {},
    )


@pytest.mark.parametrize(
    ("generic", "model", "gpus"),
    [
        ("(null)", None, 0),
        ("gpu:1", None, 1),
        ("gpu:1", "a100", 0),
        ("gpu:a100:4(S:0-1)", "a100", 4),
        ("gpu:a100:4(S:0,2),gpu:v100:2(S:1),shard:a100:16", None, 6),
        ("gpu:a100:4,gpu:v100:2", "v100", 2),
        ("gpu:nvidia_a100_1g.5gb:7", "nvidia_a100_1g.5gb", 7),
        ("craynetwork:4", None, 0),
    ],
)
def test_gpus_of_a_node(generic: str, model: str | None, gpus: int):
    assert gpus_of(generic, model) == gpus


def test_jobs_are_submitted_where_gpus_count_in_a_job_or_a_partition_is_named():
    assert submits(resources(scopes={"gpu": "local"}))
    assert submits(resources(default={"slurm_account": "lab"}))
    assert not submits(resources())
    assert not submits(resources(default={"mem_mb": 4000}, scopes={"mem_mb": "local"}))


def test_what_rules_ask_for():
    settings = resources(
        default={"slurm_partition": "cpu", "slurm_account": "", "mem_mb": 1000},
        rules={"train": {"slurm_partition": "gpu, small", "gpu_model": "a100"}, "solve": {}},
    )
    asked = {one.key.removeprefix("set-resources: "): one for one in asks(settings, gpus=1)}
    assert asked["train"] == ask(partitions=("gpu", "small"), gpu_model="a100")
    assert asked["search"] == Ask("set-resources: search", ("cpu",), None, 1, None)
    assert asked["solve"].gpus == asked["default-resources"].gpus == 0
    assert {one.gpus for one in asks(settings, gpus=0)} == {0}


def test_a_number_of_gpus_in_the_profile_counts():
    settings = resources(rules={"train": {"gpu": "2"}, "measure": {"gpu": "attempt"}})
    asked = {one.key: one.gpus for one in asks(settings, gpus=1)}
    assert asked["set-resources: train"] == 2
    assert asked["set-resources: measure"] == 1


@pytest.mark.parametrize(
    "sound",
    [
        ask(),
        ask(gpus=4, gpu_model="a100"),
        ask(partitions=("small",)),
        ask(partitions=("cpu", "gpu")),
        ask(partitions=(), gpu_model="v100"),
        ask(partitions=("cpu",), gpus=0, gpu_model="a100"),
        ask(account="anyone"),
    ],
)
def test_what_is_there_may_be_asked_for(slurm: Callable[..., None], sound: Ask):
    slurm()
    check([sound])


@pytest.mark.parametrize(
    ("unsound", "words"),
    [
        (ask(partitions=("weekend",)), ["train: slurm_partition", "cpu, gpu, small", "'weekend'"]),
        (ask(partitions=("gpu", "weekend"), gpus=0), ["'weekend'"]),
        (ask(gpus=5), ["5 GPU", "partition gpu", "gpu:a100:4, gpu:v100:2"]),
        (ask(gpus=3, gpu_model="v100"), ["3 GPU", "'v100'"]),
        (ask(gpu_model="h100"), ["'h100'", "gpu:a100:4, gpu:v100:2", "device=cpu"]),
        (ask(partitions=("cpu",)), ["none with a GPU"]),
    ],
)
def test_what_is_not_there_is_refused(slurm: Callable[..., None], unsound: Ask, words: list[str]):
    slurm()
    with pytest.raises(UserError) as caught:
        check([unsound])
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "account", "refused"),
    [
        ("lab\nteaching", "lab", False),
        ("lab\nteaching", "LAB", False),
        ("lab\nteaching", "other", True),
        ("lab\nteaching", None, False),
        # Nobody is charged here: Slurm takes any account.
        ("", "other", False),
        ("!accounting storage is disabled", "other", False),
    ],
)
def test_an_account_must_be_the_users_where_accounts_are_kept(
    slurm: Callable[..., None], answer: str, account: str | None, refused: bool
):
    slurm(sacctmgr=answer)
    if not refused:
        check([ask(account=account)])
        return
    with pytest.raises(UserError, match=r"slurm_account: expected one of lab, teaching.*'other'"):
        check([ask(account=account)])


def test_a_controller_that_is_down_is_told(slurm: Callable[..., None]):
    slurm(scontrol="!Slurmctld(primary) at head is DOWN\n*****\n** RESTORE **")
    with pytest.raises(UserError, match=r"at head is DOWN\); nothing was submitted") as caught:
        check([ask()])
    assert "RESTORE" not in str(caught.value)


def test_a_backup_controller_will_do(slurm: Callable[..., None]):
    slurm(scontrol="Slurmctld(primary) at head is DOWN\nSlurmctld(backup) at spare is UP")
    check([ask()])


def test_missing_commands_are_told(slurm: Callable[..., None], tmp_path: Path):
    slurm()
    (tmp_path / "sbatch").unlink()
    with pytest.raises(UserError, match="there is no sbatch on this machine"):
        check([ask()])
