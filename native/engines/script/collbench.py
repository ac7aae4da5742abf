"""
Steps of a training program of your own, as collbench asks for them:

    import collbench
    for step in collbench.steps():
        train(batch_size=step.items)

The environment has RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT. What stands in the loop is one step; the loop ends
when collbench has measured enough. Everything before it is setting up.
"""

import json
import os
import sys
import time


class Step:
    """One step: `index` from 0, and the `items` (images, tokens) of each rank that --items asks for."""

    def __init__(self, index, items):
        self.index, self.items = index, items


def _finish():
    """GPUs work on behind the program: a step ends when they do."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _facts():
    found = {"python": sys.version.split()[0], "path": sys.executable}
    for name in ("torch", "tensorflow", "jax"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        index = torch.cuda.current_device()
        found["device"] = f"GPU {index} {torch.cuda.get_device_name(index)}"
        found["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    return found


def steps():
    settings = json.loads(os.environ["COLLBENCH_WORKER"])
    asked = os.fdopen(settings["reads"], "r", encoding="utf-8")
    answers = os.fdopen(settings["writes"], "w", encoding="utf-8")

    def say(kind, **fields):
        answers.write(json.dumps({"t": kind, **fields}) + "\n")
        answers.flush()

    say("hello", version=sys.version.split()[0])
    index, items = 0, 1
    for line in asked:
        message = json.loads(line)
        kind = message["t"]
        if kind == "bye":
            return
        if kind == "join":
            say("joined", backend=settings["backend"], world=settings["world"], **_facts())
        elif kind == "job":
            items = message["job"]["batch"]
            say("ready", gradBytes=0, bufferBytes=0, collectives=0)
        elif kind == "step":
            start = time.monotonic_ns()
            for _ in range(message["n"]):
                yield Step(index, items)
                index += 1
            _finish()
            say("step", n=message["n"], startNs=start, endNs=time.monotonic_ns())
        elif kind == "check":
            say("check", compared=0, wrong=0)
        elif kind == "release":
            say("released")
        elif kind == "counters":
            say("counters", sent=0, received=0)
