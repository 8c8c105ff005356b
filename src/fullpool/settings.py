"""Kedro's settings of the project."""

from typing import Any

from fullpool.hooks import CampaignHooks

HOOKS = (CampaignHooks(),)

# Its configuration is used by `hooks.py`; its hook would start a second run.
DISABLE_HOOKS_FOR_PLUGINS = ("kedro-mlflow", "kedro_mlflow")

CONFIG_LOADER_ARGS: dict[str, Any] = {
    "base_env": "base",
    "default_run_env": "local",
    # An environment overrides single numbers, not whole sections.
    "merge_strategy": {"parameters": "soft", "mlflow": "soft"},
    "config_patterns": {"mlflow": ["mlflow*", "mlflow*/**", "**/mlflow*"]},
}
