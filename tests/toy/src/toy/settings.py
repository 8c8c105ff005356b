"""The real project's settings, hooks included."""

from fullpool.settings import CONFIG_LOADER_ARGS, DISABLE_HOOKS_FOR_PLUGINS, HOOKS

__all__ = ["CONFIG_LOADER_ARGS", "DISABLE_HOOKS_FOR_PLUGINS", "HOOKS"]
