"""Environments to train players in, after PettingZoo; they need the extra `rl`."""

try:
    import gymnasium as _gymnasium  # noqa: F401 -- only to say what is missing
    import numpy as _numpy  # noqa: F401
    import pettingzoo as _pettingzoo  # noqa: F401
except ImportError as error:
    raise ImportError(f"titm_rules.envs needs {error.name}: pip install 'titm_rules[rl]'") from None

from titm_rules.envs.environment import WargameEnv, env, raw_env

__all__ = ["WargameEnv", "env", "raw_env"]
