"""The project around a command: its root, its settings, its campaigns."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

_ENVIRONMENT = """
select env.value from runs
join tags campaign on campaign.run_uuid = runs.run_uuid and campaign.key = 'campaign'
join tags env on env.run_uuid = runs.run_uuid and env.key = 'env'
where campaign.value = ? order by runs.start_time desc limit 1
"""


def find_project() -> Path | None:
    """Finds the root of the Kedro project that the working directory lies in."""
    from kedro.utils import find_kedro_project

    found = find_kedro_project(Path.cwd())
    return Path(found) if found else None


def project_root() -> Path:
    """Finds the root of the project that the working directory lies in.

    Raises:
        ValueError: outside a project.
    """
    root = find_project()
    if root is None:
        raise ValueError(
            f"{Path.cwd()} is not inside a fullpool project; change into your clone and try again"
        )
    return root


def load_parameters(env: str = "base", *, campaign: str = "local") -> dict[str, Any]:
    """Reads the project's parameters as Kedro does.

    Args:
        env: folder below `conf/` that overrides `conf/base`.
        campaign: campaign that paths are made with.

    Returns:
        Raw parameters; settings classes check them.

    Raises:
        ValueError: outside a project, or if there is no such environment.
    """
    from kedro.config import OmegaConfigLoader

    from fullpool.pipelines.doors import check_environment
    from fullpool.settings import CONFIG_LOADER_ARGS

    conf = project_root() / "conf"
    check_environment(conf, env)
    loader = OmegaConfigLoader(
        conf_source=str(conf), env=env, runtime_params={"campaign": campaign}, **CONFIG_LOADER_ARGS
    )
    return dict(loader["parameters"])


def models_folder() -> Path:
    """Where the campaigns lie.

    Raises:
        ValueError: outside a project.
    """
    return project_root() / "data" / "06_models"


def campaigns() -> list[str]:
    """Names the campaigns there are; none outside a project."""
    models = models_folder() if find_project() else None
    return sorted(p.name for p in models.iterdir() if p.is_dir()) if models and models.is_dir() else []


def stage_folders(campaign: str) -> list[Path]:
    """Lists the stage folders of a campaign, in the order of the pipeline.

    Raises:
        ValueError: outside a project, or if there is no such campaign.
    """
    from fullpool.drafting.formats import closest
    from fullpool.pipelines.stages import STAGES, check_campaign

    folder = models_folder() / check_campaign(campaign)
    if not folder.is_dir():
        known = campaigns()
        raise ValueError(
            f"no campaign {campaign!r}; " + (closest(campaign, known) if known else "there is none yet")
        )
    found = {p.name: p for p in folder.iterdir() if (p / "stage.json").is_file()}
    return [found[n] for n in STAGES if n in found] + [found[n] for n in sorted(found) if n not in STAGES]


def environment_of(campaign: str) -> str:
    """Finds the environment that a campaign was last run in, `base` if its run is not recorded.

    The tracking database is read without MLflow, which takes seconds.
    """
    root = project_root()
    database = root / "mlflow.db"
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute(_ENVIRONMENT, (campaign,)).fetchone()
    except sqlite3.Error:
        found = None
    return str(found[0]) if found and (root / "conf" / str(found[0])).is_dir() else "base"


def command_for(campaign: str, pipeline: str = "cspl") -> str:
    """The command that takes a campaign further, in the environment that it was made in."""
    from fullpool.pipelines.calling import program

    env = environment_of(campaign)
    # Kedro takes `local` by itself, which nobody fills without knowing.
    chosen = "" if env in ("base", "local") else f" --env={env}"
    return f"{shlex.join(program())} run --pipeline={pipeline}{chosen} --params campaign={campaign}"
