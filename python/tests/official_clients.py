"""Plays episodes with the clients of the official OpenEnv package.

Reads one JSON list of jobs from standard input and writes one JSON list of results to standard output:

{"kind": "generic",  "url", "seed", "actions"}            GenericEnvClient: reset, steps until done, state
{"kind": "tools",    "url", "seed", "tool", "arguments"}  MCPToolClient: reset, list, calls of one tool, state
{"kind": "parallel", "url", "sessions", "actions"}        so many GenericEnvClients at once, stepped side by side
{"kind": "typed",    "url", "seed", "folder", "actions"}  the client that the package folder brings, with its models
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient


async def play_generic(job: dict[str, Any]) -> dict[str, Any]:
    async with GenericEnvClient(base_url=job["url"]) as env:
        reset = await env.reset(seed=job["seed"], episode_id="official")
        rewards, dones, observations = [], [], [reset.observation]
        for action in job["actions"]:
            result = await env.step(action)
            rewards.append(result.reward)
            dones.append(result.done)
            observations.append(result.observation)
            if result.done:
                break
        return {
            "resetReward": reset.reward,
            "rewards": rewards,
            "dones": dones,
            "observations": observations,
            "state": await env.state(),
        }


async def play_tools(job: dict[str, Any]) -> dict[str, Any]:
    async with MCPToolClient(base_url=job["url"]) as env:
        await env.reset(seed=job["seed"], episode_id="official")
        tools = [{"name": tool.name, "description": tool.description} for tool in await env.list_tools()]
        results = [await env.call_tool(job["tool"], **arguments) for arguments in job["arguments"]]
        state = await env.state()
        return {"tools": tools, "results": results, "episodeId": state.episode_id, "stepCount": state.step_count}


async def play_parallel(job: dict[str, Any]) -> dict[str, Any]:
    clients = [GenericEnvClient(base_url=job["url"]) for _ in range(job["sessions"])]
    try:
        # Every session is open before the first step, and stays open until the last.
        await asyncio.gather(*(client.reset(seed=seed) for seed, client in enumerate(clients)))
        rewards: list[list[float]] = [[] for _ in clients]
        for action in job["actions"]:
            results = await asyncio.gather(*(client.step(action) for client in clients))
            for seen, result in zip(rewards, results):
                seen.append(result.reward)
        states = await asyncio.gather(*(client.state() for client in clients))
        return {"rewards": rewards, "stepCounts": [state["step_count"] for state in states]}
    finally:
        await asyncio.gather(*(client.close() for client in clients))


async def play_typed(job: dict[str, Any]) -> dict[str, Any]:
    folder = Path(job["folder"])
    sys.path.insert(0, str(folder.parent))
    package = importlib.import_module(folder.name)
    # The names that AutoEnv infers from the package's.
    prefix = "".join(word.capitalize() for word in folder.name.split("_"))
    client, action = getattr(package, f"{prefix}Env"), getattr(package, f"{prefix}Action")
    async with client(base_url=job["url"]) as env:
        reset = await env.reset(seed=job["seed"], episode_id="official")
        results = [await env.step(action(**fields)) for fields in job["actions"]]
        return {
            "observationClass": type(reset.observation).__name__,
            "observation": reset.observation.model_dump(mode="json"),
            "rewards": [result.reward for result in results],
            "dones": [result.done for result in results],
            "stepCount": (await env.state()).step_count,
        }


PLAYERS = {"generic": play_generic, "tools": play_tools, "parallel": play_parallel, "typed": play_typed}


async def main() -> None:
    jobs = json.load(sys.stdin)
    json.dump([await PLAYERS[job["kind"]](job) for job in jobs], sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
