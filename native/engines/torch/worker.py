# PyTorch DistributedDataParallel on synthetic images.


class Torch:
    def __init__(self):
        import torch

        self.torch = torch
        torch.set_num_threads(ARGS["threads"])

    def hello(self):
        import torchvision

        told = {
            "version": self.torch.__version__,
            "torchvision": torchvision.__version__,
            "python": sys.version.split()[0],
            "path": sys.executable,
        }
        if ARGS["backend"] == "nccl":
            told["nccl"] = ".".join(map(str, self.torch.cuda.nccl.version()))
        return told

    def gpus(self):
        """Numbers of the GPUs that the ranks of this machine use."""
        return ARGS["gpus"] or list(range(self.torch.cuda.device_count()))

    def gpu(self):
        """Of this rank, as engine nccl chooses it."""
        gpus = self.gpus()
        if not gpus:
            raise RuntimeError("PyTorch sees no GPU")
        if ARGS["localRank"] >= len(gpus) and not ARGS["shareGpu"]:
            raise RuntimeError(f"rank {RANK} has no GPU of its own: PyTorch sees {len(gpus)} here")
        return gpus[ARGS["localRank"] % len(gpus)]

    def join(self):
        import ctypes
        import datetime
        import torch.distributed as dist

        backend = ARGS["backend"]
        self.device = self.torch.device("cuda", self.gpu()) if backend == "nccl" else self.torch.device("cpu")
        if backend == "nccl":
            self.torch.cuda.set_device(self.device)
            # All images have one shape, so that cuDNN may try its kernels once and keep the fastest.
            self.torch.backends.cudnn.benchmark = True
        dist.init_process_group(backend, timeout=datetime.timedelta(seconds=ARGS["timeoutS"]))
        self.gather([RANK])  # makes the connections
        told = {"backend": backend, "world": dist.get_world_size(), "threads": self.torch.get_num_threads()}
        for library in ("libtorch_cpu", "libgloo", "libnccl"):
            if loaded(library):
                told[library] = ", ".join(loaded(library))
        if backend == "nccl":
            told["sharesGpu"] = ARGS["localRanks"] > len(set(self.gpus()))
            # Attribute 133 of the driver says that CUDA MPS runs several processes at once; older drivers leave 0.
            mps = ctypes.c_int(0)
            ctypes.CDLL("libcuda.so.1").cuDeviceGetAttribute(ctypes.byref(mps), 133, self.device.index)
            told["usesMps"] = told["sharesGpu"] and mps.value != 0
            told["device"] = f"GPU {self.device.index} {self.torch.cuda.get_device_name(self.device)}"
            told["cudnn"] = f"{self.torch.backends.cudnn.version()}, benchmark on"
            told["memoryFormat"] = "fp32: contiguous; others: channels_last"
            told["tf32"] = "fp32: off; tf32: in convolutions and matrix products"
            plugin = os.environ.get("NCCL_NET_PLUGIN", "")
            if ARGS["localRank"] == 0:
                told["libnccl.sha256"] = ", ".join(map(file_hash, loaded("libnccl.so")))
                if "/" in plugin:
                    told["netPlugin"], told["netPlugin.sha256"] = plugin, file_hash(plugin)
        return told

    def gather(self, value):
        import torch.distributed as dist

        everybody = [None] * WORLD
        dist.all_gather_object(everybody, value)
        return everybody

    def model(self, name):
        nn = self.torch.nn
        if name == "tiny":
            return nn.Sequential(
                nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 1000)
            )
        import torchvision

        return torchvision.models.get_model(name, weights=None)

    def release(self):
        import gc

        gc.collect()
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()

    def build(self, job):
        return TorchJob(self, job)


class TorchJob:
    def __init__(self, worker, job):
        torch = worker.torch
        from torch.nn.parallel import DistributedDataParallel

        self.worker, self.torch, self.device = worker, torch, worker.device
        self.is_cuda = self.device.type == "cuda"
        self.autocast = job["numerics"] == "amp-bf16"
        if job["numerics"] in ("fp32", "tf32"):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = job["numerics"] == "tf32"
        dtype = torch.bfloat16 if job["numerics"] == "bf16" else torch.float32
        torch.manual_seed(job["seed"] % 2**63)
        held = self.held(is_new=True)
        model = worker.model(job["model"]).to(self.device, dtype)
        # Tensor cores read channels last; without them (fp32) the usual order is as fast.
        format = torch.channels_last if self.is_cuda and job["numerics"] != "fp32" else torch.contiguous_format
        model = model.to(memory_format=format)
        shapes = [(name, tuple(p.shape), str(p.dtype)) for name, p in model.named_parameters()]
        shapes.append(("batch", (job["batch"], job["image"]), ""))
        for rank, other in enumerate(worker.gather(shapes)):
            for mine, theirs in zip(shapes, other):
                if mine != theirs or len(shapes) != len(other):
                    raise ValueError(f"ranks disagree on the model: rank {RANK} has {mine}, rank {rank} has {theirs}")
        ids = {"device_ids": [self.device.index]} if self.is_cuda else {}
        cap = {} if job["bucketMiB"] is None else {"bucket_cap_mb": job["bucketMiB"]}
        self.parallel = lambda: DistributedDataParallel(model, **ids, **cap)
        self.compiled = torch.compile if job["compile"] else lambda module: module
        self.ddp = self.parallel()
        self.forward = self.compiled(self.ddp)
        torch.manual_seed((job["seed"] + RANK) % 2**63)
        self.images = torch.randn(job["batch"], 3, job["image"], job["image"], device=self.device, dtype=dtype)
        self.images = self.images.contiguous(memory_format=format)
        self.labels = torch.randint(0, 1000, (job["batch"],), device=self.device)
        self.criterion = torch.nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.named = list(model.named_parameters())
        self.names = [name for name, _ in self.named]
        self.profiler = None
        self.kept = 0
        # The first has one bucket of all gradients; then buckets are made anew, in the order of gradients. GPUs: clocks rise.
        self.steps(10 if self.is_cuda else 3)
        self.held(is_new=True)
        # As many everywhere, since steps wait for all ranks; of long ones few.
        repeats = 5 if max(worker.gather(self.plain_ns(1))) < 500_000_000 else 1
        self.plain = self.plain_ns(repeats) if job["profiled"] else None
        peak = max(worker.gather(self.held() - held))
        timeline = self.timeline(repeats) if job["profiled"] and WORLD > 1 else {}
        grads = sum(p.numel() * p.element_size() for _, p in self.named)
        buffers = list(model.buffers())
        buckets = [int(size) for size in str(self.ddp._get_ddp_logging_data().get("rebuilt_bucket_sizes", "")).split(",") if size.strip()]
        self.facts = {
            "gradBytes": grads,
            "bufferBytes": sum(b.numel() * b.element_size() for b in buffers),
            "buckets": buckets,
            # Buffers are sent from rank 0 before each step, by type; without the log (private) the caps tell.
            "collectives": (len(buckets) or 1 + grads // (26214400)) + len({b.dtype for b in buffers}),
            "peakBytes": peak,  # 0 on CPUs
            "timeline": timeline,
        }
        if WORLD == 1:  # nothing is exchanged, whatever the framework calls
            self.facts = {**self.facts, "gradBytes": 0, "bufferBytes": 0, "collectives": 0}
        if job["profiled"]:
            self.observe()

    def held(self, is_new=False):
        """Most bytes of the GPU that PyTorch held since it was asked for anew (then: what it holds); 0 on CPUs."""
        if not self.is_cuda:
            return 0
        if is_new:
            self.torch.cuda.reset_peak_memory_stats(self.device)
        return self.torch.cuda.max_memory_allocated(self.device)

    def plain_ns(self, repeats):
        """A step without a profiler, from start to end: the median of some."""
        times = []
        for _ in range(repeats):
            start = time.monotonic_ns()
            self.steps(1)
            times.append(time.monotonic_ns() - start)
        return sorted(times)[len(times) // 2]

    def timeline(self, repeats):
        """
        What a step asks of the network and when, by all that it does but collectives: medians, ns from the start of the step.
        Empty where PyTorch does not tell its buckets.
        """
        log = self.ddp._get_ddp_logging_data()
        sizes = [int(size) for size in str(log.get("rebuilt_bucket_sizes", "")).split(",") if size.strip()]
        members = [group.split() for group in str(log.get("rebuilt_per_bucket_param_indices", "")).split(",")]
        if not sizes or len(members) != len(sizes) or not all(members):
            return {}
        seen = []
        state = {name: value.clone() for name, value in self.ddp.module.state_dict().items()}
        # Buckets hold gradients in the order in which they get ready: the last one completes it.
        lasts = [self.named[int(group[-1])][1] for group in members]
        hooks = [
            last.register_post_accumulate_grad_hook(lambda _, i=i: seen.append((f"ready{i}", self.mark())))
            for i, last in enumerate(lasts)
        ]
        usual, self.forward = self.forward, self.compiled(self.silent())
        steps = []
        for _ in range(2 + repeats):
            seen.clear()
            start = self.mark()
            self.step(lambda name: seen.append((name, self.mark())))
            seen.append(("end", self.mark()))
            steps.append({name: self.between(start, mark) for name, mark in seen})
        self.forward = usual
        for hook in hooks:
            hook.remove()
        self.ddp.module.load_state_dict(state)  # every rank went its own way
        found = {f"bytes{i}": size for i, size in enumerate(sizes)}
        for name in steps[0]:
            found[name] = sorted(step[name] for step in steps[2:])[repeats // 2]  # the second makes buckets anew
        for dtype in sorted({str(b.dtype) for b in self.ddp.module.buffers()}):
            some = [b for b in self.ddp.module.buffers() if str(b.dtype) == dtype]
            found["buffers." + dtype.removeprefix("torch.")] = sum(b.numel() * b.element_size() for b in some)
        return found

    def silent(self):
        """The same model, whose gradients and buffers are packed and unpacked as always but sent to nobody."""
        from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook

        def pack(tensors, *_):
            for dtype in {one.dtype for one in tensors}:
                some = [one for one in tensors if one.dtype == dtype]
                flat = self.torch._utils._flatten_dense_tensors(some)
                for one, own in zip(some, self.torch._utils._unflatten_dense_tensors(flat, some)):
                    one.copy_(own)

        ddp = self.parallel()
        ddp.register_comm_hook(None, noop_hook)
        ddp._distributed_broadcast_coalesced = pack  # private; where it is not called, buffers are sent
        return ddp

    def mark(self):
        """An instant of the computations: on GPUs where their stream has got by then."""
        if not self.is_cuda:
            return time.monotonic_ns()
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, start, end):
        if not self.is_cuda:
            return end - start
        end.synchronize()
        return round(start.elapsed_time(end) * 1e6)

    def step(self, note=lambda name: None):
        self.optimizer.zero_grad(set_to_none=True)
        with self.torch.autocast(self.device.type, self.torch.bfloat16, enabled=self.autocast):
            loss = self.criterion(self.forward(self.images).float(), self.labels)
        note("forward")
        loss.backward()
        note("backward")
        self.optimizer.step()
        self.loss = loss.detach()

    def steps(self, count):
        for _ in range(count):
            with self.torch.profiler.record_function("collbench step"):
                self.step()
        if self.is_cuda:
            self.torch.cuda.synchronize()
        self.kept += count
        if self.profiler is not None and self.kept > 50:  # nobody asks for them: warm-up, pipelined samples
            self.profiler.stop()
            self.observe()

    def everybody(self):
        word = {2: self.torch.int16, 4: self.torch.int32, 8: self.torch.int64}
        sums = [p.detach().contiguous().view(word[p.element_size()]).sum(dtype=self.torch.int64) for _, p in self.named]
        return self.worker.gather((self.torch.stack(sums).tolist(), self.loss.item()))

    def observe(self):
        kinds = [self.torch.profiler.ProfilerActivity.CPU]
        if self.is_cuda:
            kinds.append(self.torch.profiler.ProfilerActivity.CUDA)
        self.profiler = self.torch.profiler.profile(activities=kinds)
        self.profiler.start()
        self.kept = 0

    def profile(self):
        import tempfile

        self.profiler.stop()
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            self.profiler.export_chrome_trace(file.name)
            with open(file.name, encoding="utf-8") as text:
                events = [e for e in json.load(text)["traceEvents"] if e.get("ph") == "X"]
        columns = self.parts(events)
        self.observe()
        return {**columns, "unprofiled": self.plain}

    def parts(self, events):
        def span(event):
            begin = round(event["ts"] * 1000)
            return begin, begin + round(event.get("dur", 0) * 1000)

        begin, end = max(span(e) for e in events if e["name"] == "collbench step" and e.get("cat") == "user_annotation")
        inside = [e for e in events if span(e)[1] > begin]
        if self.is_cuda:
            kernels = [e for e in inside if e.get("cat") == "kernel"]
            end = max([end, *(span(e)[1] for e in kernels)])  # the host is ahead of the GPU
            is_call = lambda e: "Collective name" in e.get("args", {}) or "nccl" in e["name"].lower()
            calls = [span(e) for e in kernels if is_call(e)]
            computed = [span(e) for e in kernels if not is_call(e)]
        else:
            is_call = lambda e: e.get("cat") == "user_annotation" and e["name"].startswith("gloo:")
            # The end of a call may be marked late, in the step behind it: it belongs where it started.
            calls = [span(e) for e in inside if is_call(e) and span(e)[0] >= begin]
            computed = [span(e) for e in inside if e.get("cat") == "cpu_op" and e["name"].startswith("aten::")]
        found = parts_of(sorted(calls), computed, self.worker.gather)
        return {**found, "profiled": end - begin}


serve(Torch)
