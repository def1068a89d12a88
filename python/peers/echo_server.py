"""The trivial environment of the server benchmarks on the official OpenEnv server.

Started as the official project template starts its servers (uvicorn, one process), with the capacity raised:

    python echo_server.py --port 8001 --capacity 4096
"""

import argparse
from typing import Any, Optional

import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class EchoAction(Action):
    message: str = Field(..., description="Text to echo")


class EchoObservation(Observation):
    message: str = Field(default="", description="The text of the last action")
    count: int = Field(default=0, description="Steps since the reset")


class EchoEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS: bool = True

    def __init__(self) -> None:
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> EchoObservation:
        self._state = State(episode_id=episode_id, step_count=0)
        return EchoObservation(message="", count=0, done=False, reward=0.0)

    def step(self, action: EchoAction, timeout_s: Optional[float] = None, **kwargs: Any) -> EchoObservation:
        self._state.step_count += 1
        return EchoObservation(message=action.message, count=self._state.step_count, done=False, reward=1.0)

    @property
    def state(self) -> State:
        return self._state


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--capacity", type=int, default=4096)
    args = parser.parse_args()
    app = create_app(EchoEnvironment, EchoAction, EchoObservation, env_name="echo", max_concurrent_envs=args.capacity)
    uvicorn.run(app, host="127.0.0.1", port=args.port, log_level="warning")


if __name__ == "__main__":
    main()
