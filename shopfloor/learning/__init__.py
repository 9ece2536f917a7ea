"""Learning to drive: a task on arrays, PPO in numpy, policies that are small."""
