"""A real Slurm of one node, on loopback, with one declared GPU."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

SETTINGS = Path("/etc/slurm")
OURS = "# Written by attnnn's tests.\n"
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel", "srun")

CONTROLLER = """\
ClusterName=attnnn
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
MinJobAge=7200
KillWait=3
JobRequeue=0
# Without cgroups, Slurm itself looks at the memory of jobs, here every second, and ends those that
# use more than they asked for.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/log/jobcomp.txt
SchedulerParameters=sched_interval=5,bf_interval=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory={memory} Gres=gpu:planted:1 State=UNKNOWN
PartitionName=ordinary Nodes={host} Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=200
PartitionName=accelerated Nodes={host} MaxTime=INFINITE State=UP DefMemPerCPU=200
"""
GPU = "AutoDetect=off\nNodeName={host} Name=gpu Type=planted File=/dev/null\n"


def why_not() -> str | None:
    """Why Slurm cannot be started here; None where it can."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"no {', '.join(missing)}; as root: apt-get install slurm-wlm"
    if os.geteuid() != 0:
        return "only root may write /etc/slurm and start slurmctld"
    settings = SETTINGS / "slurm.conf"
    if settings.exists() and not settings.read_text().startswith(OURS):
        return f"{settings} is another cluster's"
    return None


@dataclass(frozen=True)
class Finished:
    """A line of Slurm's job completion log, and what the job had asked for."""

    number: int
    name: str
    comment: str
    state: str
    start: datetime
    end: datetime
    gpus: int
    limit: str
    line: str


class Slurm:
    """The daemons and what they tell.

    Args:
        folder: for their state and logs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("run", "log", "state", "spool"):
            (folder / name).mkdir(parents=True)
        self.completed = folder / "log" / "jobcomp.txt"

    def start(self) -> None:
        """Write the settings, start both daemons and wait until the node is idle."""
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        # Memory is declared and not measured against: the tests' jobs ask for more than they use.
        memory = max(pages * size // 2**20, 64_000)
        host = socket.gethostname().split(".")[0]
        SETTINGS.mkdir(exist_ok=True)
        text = CONTROLLER.format(host=host, folder=self.folder, memory=memory)
        (SETTINGS / "slurm.conf").write_text(OURS + text)
        (SETTINGS / "gres.conf").write_text(OURS + GPU.format(host=host))
        self.start_controller()
        subprocess.run(["slurmd"], check=True)
        self._wait_for("idle")

    def stop(self) -> None:
        """End the jobs and both daemons, and take the settings away."""
        subprocess.run(["scancel", "--user", "root"], check=False, capture_output=True)
        for daemon in ("slurmd", "slurmctld"):
            self._end(daemon)
        for name in ("slurm.conf", "gres.conf"):
            (SETTINGS / name).unlink(missing_ok=True)

    def start_controller(self) -> None:
        """Start slurmctld with the state that it left."""
        subprocess.run(["slurmctld"], check=True)

    def stop_controller(self) -> None:
        """End slurmctld; jobs run on."""
        self._end("slurmctld")

    def jobs(self) -> list[Finished]:
        """The jobs that have ended, from the job completion log."""
        lines = self.completed.read_text().splitlines() if self.completed.exists() else []
        done = _told("scontrol", "--oneliner", "show", "job")
        asked = {_fields(line)["JobId"]: line for line in done.splitlines() if "JobId=" in line}
        return [_finished(line, asked[_fields(line)["JobId"]]) for line in lines]

    def queue(self) -> list[str]:
        """Jobs that wait or run: number, name, state, limit, generic resources, comment."""
        return _told("squeue", "--noheader", "--format=%i|%j|%T|%l|%b|%k").splitlines()

    def _wait_for(self, state: str, seconds: float = 600) -> None:
        # The limit is for a node that never comes; a loaded machine takes its time.
        last, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            done = subprocess.run(
                ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False
            )
            last = done.stdout.strip() or done.stderr.strip()
            if set(last.split()) == {state}:
                return
            time.sleep(0.2)
        raise RuntimeError(f"Slurm's node is {last!r} and not {state!r}; see {self.folder}/log")

    def _end(self, daemon: str, seconds: float = 30) -> None:
        file = self.folder / "run" / f"{daemon}.pid"
        if not file.exists():
            return
        number = int(file.read_text())
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGTERM)
            for _ in range(int(seconds / 0.1)):
                os.kill(number, 0)
                time.sleep(0.1)
            os.kill(number, signal.SIGKILL)


def _told(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _fields(line: str) -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S*)", line))


def _finished(line: str, asked: str) -> Finished:
    found, wanted = _fields(line), _fields(asked)
    gpus = re.search(r"gres:gpu(?::[a-z]+)?:(\d+)", wanted.get("TresPerJob", ""))
    return Finished(
        number=int(found["JobId"]),
        name=found["Name"],
        comment=wanted.get("Comment", ""),
        state=found["JobState"],
        start=datetime.fromisoformat(found["StartTime"]),
        end=datetime.fromisoformat(found["EndTime"]),
        gpus=int(gpus.group(1)) if gpus else 0,
        limit=found["TimeLimit"],
        line=line,
    )
