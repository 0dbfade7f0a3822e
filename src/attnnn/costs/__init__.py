"""What a study will take: the work that its jobs declare, at rates measured on finished ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attnnn.study.config import Study


def plan(
    study: Study,
    *,
    folders: Sequence[Path] = (),
    known: Path | None = None,
    kept: Path | None = None,
) -> str:
    """The printout of ``attnnn plan``, without a line break at its end.

    Args:
        study: the configuration.
        folders: results folders of finished studies, which rates are fitted on.
        known: a file of rates to begin with; None: those that come with the package.
        kept: where to keep the rates.

    Raises:
        UserError: nothing is known of the size of a corpus, or a folder or file is not what it should be.
    """
    from attnnn.costs import estimate, finished, rates, report

    learned = [finished.read_finished(folder) for folder in folders]
    found = rates.shipped() if known is None else rates.read_rates(known)
    if learned:
        found = rates.fitted([timing for one in learned for timing in one.timings], found)
    if kept is not None:
        rates.write_rates(kept, found)
    return report.report(estimate.estimate(study, found), learned)
