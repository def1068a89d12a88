"""Serves a small environment with the official OpenEnv package: the foreign server that `praxis validate` is tried on.

Usage: reference_server.py PORT [MAX_SESSIONS]
"""

from __future__ import annotations

import sys
from typing import Any, Optional
from uuid import uuid4

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class CountAction(Action):
    """Adds a whole number from 1 to 3."""

    add: int = Field(ge=1, le=3)


class CountObservation(Observation):
    """The sum so far."""

    total: int = 0


class CountEnvironment(Environment[CountAction, CountObservation, State]):
    """Sums up; the episode ends at 21."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> CountObservation:
        self._total = (seed or 0) % 5
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return CountObservation(total=self._total, reward=None, done=False)

    def step(self, action: CountAction, timeout_s: Optional[float] = None, **kwargs: Any) -> CountObservation:
        self._total += action.add
        self._state.step_count += 1
        return CountObservation(total=self._total, reward=action.add / 3, done=self._total >= 21)

    @property
    def state(self) -> State:
        return self._state


if __name__ == "__main__":
    port, sessions = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    app = create_fastapi_app(CountEnvironment, CountAction, CountObservation, max_concurrent_envs=sessions)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")
