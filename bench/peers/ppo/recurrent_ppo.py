"""One peer of the recurrent benchmark: sb3-contrib's RecurrentPPO on 5,490 inputs and episodes of 6 to 8 steps.

Each line "iterate" on standard input runs one rollout and its update and answers with a JSON line of wall and processor
seconds, so that whoever measures can take turns.
Usage: recurrent_ppo.py shipped|tuned THREADS
"""

import json
import resource
import sys
import time

import gymnasium
import numpy as np
import torch
from sb3_contrib import RecurrentPPO
from stable_baselines3.common.vec_env import DummyVecEnv

INPUTS, VARIABLE, ENVS, STEPS = 5490, 90, 8, 128


class ShortEpisodes(gymnasium.Env):
    """Most columns are drawn once an episode, the first ones at every step."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (INPUTS,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (12,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = self.np_random.random(INPUTS, dtype=np.float32)
        self.length = int(self.np_random.integers(6, 9))
        self.step_count = 0
        return self.row.copy(), {}

    def step(self, action):
        self.row[:VARIABLE] = self.np_random.random(VARIABLE, dtype=np.float32)
        self.step_count += 1
        return self.row.copy(), float(action[0]), self.step_count >= self.length, False, {}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main(kind, threads):
    torch.backends.mkldnn.enabled = kind == "shipped"
    torch.set_num_threads(threads)
    envs = DummyVecEnv([ShortEpisodes for _ in range(ENVS)])
    model = RecurrentPPO(
        "MlpLstmPolicy",
        envs,
        n_steps=STEPS,
        batch_size=128,
        n_epochs=10,
        seed=1,
        device="cpu",
        policy_kwargs={"lstm_hidden_size": 256, "net_arch": [64, 64], "enable_critic_lstm": True},
    )
    print(json.dumps({"ready": f"torch {torch.__version__}"}), flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), processor_seconds()
        model.learn(ENVS * STEPS, reset_num_timesteps=False)
        answer = {"steps": ENVS * STEPS, "wall": time.perf_counter() - wall, "cpu": processor_seconds() - cpu}
        print(json.dumps(answer), flush=True)


main(sys.argv[1], int(sys.argv[2]))
