# How a worker talks to its rank: one JSON object a line, each question with one answer (worker_engine.cc).
import ctypes
import faulthandler
import hashlib
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback

ARGS = json.loads(sys.argv[1])
RANK, WORLD = ARGS["rank"], ARGS["world"]
ASKED = os.fdopen(ARGS["reads"], "r", encoding="utf-8")
ANSWERS = os.fdopen(ARGS["writes"], "w", encoding="utf-8")

# Asked when a deadline has passed: where this process is.
faulthandler.register(signal.SIGUSR2, all_threads=False)


def say(kind, **fields):
    ANSWERS.write(json.dumps({"t": kind, **fields}) + "\n")
    ANSWERS.flush()


def tcp_bytes():
    """Bytes that the open TCP connections of this process have sent (and seen acknowledged) and received."""
    sent = received = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            if not os.readlink("/proc/self/fd/" + name).startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(name))) as one:
                info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        except OSError:
            continue
        if len(info) >= 136:  # tcpi_bytes_acked, tcpi_bytes_received of linux/tcp.h
            sent += struct.unpack_from("Q", info, 120)[0]
            received += struct.unpack_from("Q", info, 128)[0]
    return {"sent": sent, "received": received}


def loaded(part):
    """Paths of the loaded libraries with this in their name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
    return sorted(path for path in paths if part in os.path.basename(path))


def file_hash(path):
    """SHA-256 of a file, read piece by piece; the reason where it cannot be read."""
    found = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
    except OSError as error:
        return f"not read: {error}"
    return found.hexdigest()


def plugin_counters():
    """What collbench's net plugin of NCCL has moved in this process; None where it is not loaded."""
    for path in loaded("libnccl-net-sisci"):
        values = (ctypes.c_ulonglong * 4)()
        ctypes.CDLL(path).collbenchNetCounters(values)
        return {"sent": values[0], "received": values[1]}
    return None


def merged(spans):
    """Spans that overlap as one, in order."""
    whole = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1][1] = max(whole[-1][1], end)
        else:
            whole.append([start, end])
    return whole


def length(spans):
    return sum(end - start for start, end in spans)


def outside(spans, others):
    """Length of merged spans that no merged span of the others covers."""
    covered, at = 0, 0
    for start, end in spans:
        while at < len(others) and others[at][1] <= start:
            at += 1
        i = at
        while i < len(others) and others[i][0] < end:
            covered += min(end, others[i][1]) - max(start, others[i][0])
            i += 1
    return length(spans) - covered


def parts_of(calls, computed, gather):
    """
    Parts of the collective time of one step, ns. A call lasts until its last rank has joined and the data are there:
    what it takes longer than on the rank where it is shortest is waiting. @param calls spans in their order
    @param gather all ranks' values of a list
    """
    own = [end - start for start, end in calls]
    everybody = gather(own)
    counts = [len(one) for one in everybody]
    if len(set(counts)) != 1:
        raise RuntimeError(f"ranks made different numbers of collectives in one step: {counts}")
    moving = sum(min(times) for times in zip(*everybody))
    return {
        "collective": sum(own),
        "moving": moving,
        "waiting": sum(own) - moving,
        "exposed": outside(merged(calls), merged(computed)),
    }


def difference(names, everybody):
    """The answer to `check`. @param everybody of each rank the checksums of its parameters, then whether its loss is finite"""
    # The loss of each rank is looked at, too.
    found = {"compared": (len(names) + 1) * len(everybody), "wrong": 0}

    def note(index, wanted, got, text):
        if found["wrong"] == 0:
            found.update(first=index, wanted=str(wanted), got=str(got), note=text)
        found["wrong"] += 1

    for rank, (sums, loss) in enumerate(everybody):
        if loss != loss or loss in (float("inf"), float("-inf")):
            note(0, "a finite loss", loss, f"loss of rank {rank}")
        for index, name in enumerate(names):
            if sums[index] != everybody[0][0][index]:
                note(index, everybody[0][0][index], sums[index], f"checksum of parameter {name}: rank 0, rank {rank}")
    return found


def serve(framework):
    """Answers until `bye`. Whatever goes wrong is said and ends the process: the other ranks cannot go on either."""
    phase, job, jobs = "starting", None, {}
    try:
        worker = framework()
        say("hello", **worker.hello())
        for line in ASKED:
            asked = json.loads(line)
            phase = asked["t"]
            if phase == "bye":
                break
            if phase == "join":
                os.environ.update(asked["environment"])
                say("joined", **worker.join())
            elif phase == "job":
                key = json.dumps(asked["job"], sort_keys=True)
                job = jobs.get(key) or jobs.setdefault(key, worker.build(asked["job"]))
                say("ready", **job.facts)
            elif phase == "step":
                start = time.monotonic_ns()
                job.steps(asked["n"])
                say("step", n=asked["n"], startNs=start, endNs=time.monotonic_ns())
            elif phase == "check":
                say("check", **difference(job.names, job.everybody()))
            elif phase == "profile":
                say("profile", columns=job.profile())
            elif phase == "release":
                job = None
                jobs.clear()
                worker.release()
                say("released")
            elif phase == "counters":
                say("counters", **(plugin_counters() or tcp_bytes()))
    except BaseException as error:  # also SystemExit of a framework
        traceback.print_exc()
        try:
            say("error", phase=phase, **{"class": type(error).__name__}, text=str(error)[:2000])
        finally:
            os._exit(1)
    os._exit(0)  # threads of frameworks would keep it
