"""Records the collectives of PyTorch over Gloo: Python loads it first where PYTHONPATH has its folder (collbench record).

Hooks of the process groups see calls from C++ too, such as the buckets of DDP. Lines as native/recorder/lines.cc writes them:
a call when it starts, and "done" when it has ended. Whatever fails here leaves the job as it is.
"""

import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import socket
import sys
import threading
import time

FOLDER = os.environ.get("COLLBENCH_RECORD_DIR", "")
MODULE = "torch.distributed.distributed_c10d"
HOOK = 0x636F6C6C  # ours among the hooks of a group
FLUSH_S = 0.02

# Words of c10d for parts: bytes are those of one rank's part.
OUTPUT_IS_PART = ("REDUCE_SCATTER", "SCATTER")


class Writer:
    """Lines of all groups; a thread of its own writes them."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pending = {}  # path -> lines
        self.thread = None

    def add(self, path, line):
        with self.lock:
            self.pending.setdefault(path, []).append(line)
            if self.thread is None:
                self.thread = threading.Thread(target=self.run, daemon=True, name="collbench-record")
                self.thread.start()

    def run(self):
        while True:
            time.sleep(FLUSH_S)
            self.flush()

    def flush(self):
        with self.lock:
            pending, self.pending = self.pending, {}
            for path, lines in pending.items():
                with open(path, "a", encoding="utf-8") as file:
                    file.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


class Group:
    """One process group of this process."""

    def __init__(self, writer, group, c10d):
        self.writer, self.group, self.c10d = writer, group, c10d
        self.lock = threading.Lock()
        self.path = None
        self.begin_ns = 0
        self.calls = 0
        self.by_function = {}
        self.open = {}  # op_id -> (number, start)

    def header(self):
        import torch

        group = self.group
        ranks = list(self.c10d.get_process_group_ranks(group))
        world = self.c10d.get_rank()
        self.begin_ns = time.monotonic_ns()
        # One number for a process: fork copies what was before.
        self.path = os.path.join(FOLDER, "gloo-%s-%d-%d.ndjson" % (socket.gethostname(), os.getpid(), id(self)))
        self.writer.add(self.path, {
            "t": "header", "v": 1, "source": "gloo", "token": os.environ.get("COLLBENCH_RECORD_TOKEN", ""),
            "host": socket.gethostname(), "pid": os.getpid(), "program": os.path.realpath(sys.executable),
            "comm": "%s %s" % (group.group_name, ",".join(map(str, ranks))), "name": str(group.group_desc or ""),
            "ranks": len(ranks), "rank": ranks.index(world), "worldRank": world,
            "library": torch.__file__, "libraryVersion": torch.__version__,
            "monotonicNs": str(self.begin_ns), "realtimeNs": str(time.time_ns()),
        })  # fmt: skip

    def is_gloo(self, tensors):
        if any(tensor.device.type != "cpu" for tensor in tensors):
            return False
        import torch

        return self.group._get_backend(torch.device("cpu")).name() == "gloo"

    def before(self, call):
        try:
            tensors = list(call.input_tensors) or list(call.output_tensors)
            if not self.is_gloo(tensors + list(call.output_tensors)):
                return
            with self.lock:
                if self.path is None:
                    self.header()
                line = self.line_of(call)
                number, self.calls = self.calls, self.calls + 1
                seen = self.by_function.get(line["func"], 0)
                self.by_function[line["func"]] = seen + 1
                start_ns = time.monotonic_ns()
                self.open[call.op_id] = (number, start_ns)
            line.update(k=number, seq=seen, startNs=start_ns - self.begin_ns)
            self.writer.add(self.path, line)
        except Exception as error:  # noqa: BLE001
            complain(error)

    def line_of(self, call):
        name = call.name.name
        inputs, outputs = list(call.input_tensors), list(call.output_tensors)
        of = outputs if name.startswith(OUTPUT_IS_PART) else inputs or outputs
        count = sum(tensor.numel() for tensor in of)
        size = sum(tensor.numel() * tensor.element_size() for tensor in of)
        function = name.lower()
        if name.startswith("ALLTOALL"):
            ranks = self.group.size()
            if count % ranks == 0:
                count, size = count // ranks, size // ranks
            else:
                function = "alltoallv"
        types = {str(tensor.dtype).replace("torch.", "") for tensor in of}
        line = {"t": "call", "func": function, "count": count, "bytes": size, "ns": 0}
        if len(types) == 1:
            line["dtype"] = types.pop()
        if call.root >= 0:
            line["peer" if name in ("SEND", "RECV") else "root"] = call.root
        if call.async_op:
            line["issue"] = True
        return line

    def after(self, call):
        try:
            with self.lock:
                found = self.open.pop(call.op_id, None)
            if found is None:
                return
            number, start_ns = found

            def done(_=None):
                ns = time.monotonic_ns() - start_ns
                self.writer.add(self.path, {"t": "done", "k": number, "ns": ns})

            work = call.work
            if work is None or work.is_completed():
                done()
                return
            try:
                work.get_future().add_done_callback(done)
            except Exception:  # noqa: BLE001  a receive has no future: its end is not known
                pass
        except Exception as error:  # noqa: BLE001
            complain(error)

    def end(self):
        if self.path is not None:
            self.writer.add(self.path, {"t": "end", "lostCalls": 0, "lostDeviceTimes": 0})


complained = False


def complain(error):
    global complained
    if not complained:
        complained = True
        sys.stderr.write("collbench record: PyTorch: %s: %s\n" % (type(error).__name__, error))


def attach(c10d):
    """Hooks every group that the module registers from now on."""
    from torch._C import _distributed_c10d as native

    if not hasattr(native.ProcessGroup, "register_pre_hook"):
        sys.stderr.write("collbench record: this PyTorch has no hooks of process groups: Gloo is not recorded\n")
        return
    writer, groups = Writer(), []
    register = c10d._register_process_group

    def registered(name, group):
        register(name, group)
        try:
            recorded = Group(writer, group, c10d)
            groups.append(recorded)
            group.register_pre_hook(HOOK, recorded.before)
            group.register_post_hook(HOOK, recorded.after)
        except Exception as error:  # noqa: BLE001
            complain(error)

    def at_end():
        for group in groups:
            group.end()
        writer.flush()

    c10d._register_process_group = registered
    atexit.register(at_end)


class Finder(importlib.abc.MetaPathFinder):
    """Waits for the module, and is gone when it has come."""

    def find_spec(self, name, path=None, target=None):
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            try:
                attach(module)
            except Exception as error:  # noqa: BLE001
                complain(error)

        spec.loader.exec_module = exec_module
        return spec


def next_one():
    """The sitecustomize that would have been loaded without this one."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [one for one in sys.path if os.path.abspath(one or ".") != own]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if found is not None and found.loader is not None:
        found.loader.exec_module(importlib.util.module_from_spec(found))


if FOLDER:
    sys.meta_path.insert(0, Finder())
next_one()
