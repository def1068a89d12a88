"""One peer of the CartPole benchmark: Stable-Baselines3's PPO with the hyper-parameters published in RL Baselines3 Zoo.

Each line "SEED" on standard input trains until the mean return of 100 evaluation episodes is 475 and answers with a JSON line:
environment steps (null when the budget did not do), and wall and processor seconds without the evaluations.
"""

import json
import resource
import sys
import time

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

BUDGET, ROLLOUTS_BETWEEN, WORTH_A_LOOK, GOAL, EPISODES = 100_000, 8, 150, 475, 100


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class StopWhenSolved(BaseCallback):
    """Evaluates between updates, when the last training episodes are long enough to make it worth while."""

    def __init__(self, envs):
        super().__init__()
        self.envs, self.rollouts, self.solved = envs, 0, False
        self.wall = self.cpu = 0.0

    def look(self):
        recent = [episode["r"] for episode in self.model.ep_info_buffer]
        if not recent or sum(recent) / len(recent) <= WORTH_A_LOOK:
            return
        wall, cpu = time.perf_counter(), processor_seconds()
        mean, _ = evaluate_policy(self.model, self.envs, n_eval_episodes=EPISODES, deterministic=True)
        self.wall += time.perf_counter() - wall
        self.cpu += processor_seconds() - cpu
        self.solved = mean >= GOAL

    def _on_rollout_start(self):
        if self.rollouts > 0 and self.rollouts % ROLLOUTS_BETWEEN == 0:
            self.look()
        self.rollouts += 1

    def _on_step(self):
        return not self.solved


def run(seed):
    envs = make_vec_env("CartPole-v1", n_envs=8, seed=seed)
    model = PPO(
        "MlpPolicy",
        envs,
        n_steps=32,
        batch_size=256,
        gae_lambda=0.8,
        gamma=0.98,
        n_epochs=20,
        ent_coef=0.0,
        learning_rate=lambda left: 0.001 * left,
        clip_range=lambda left: 0.2 * left,
        seed=seed,
        device="cpu",
    )
    callback = StopWhenSolved(make_vec_env("CartPole-v1", n_envs=EPISODES, seed=seed + 1000))
    wall, cpu = time.perf_counter(), processor_seconds()
    model.learn(BUDGET, callback=callback)
    # The first step after the one that solved it notices, so that many steps are one rollout row too many.
    steps = model.num_timesteps // 256 * 256
    if not callback.solved:
        callback.look()
    return {
        "steps": steps if callback.solved else None,
        "wall": time.perf_counter() - wall - callback.wall,
        "cpu": processor_seconds() - cpu - callback.cpu,
    }


torch.set_num_threads(1)
print(json.dumps({"ready": f"torch {torch.__version__}"}), flush=True)
for line in sys.stdin:
    print(json.dumps(run(int(line))), flush=True)
