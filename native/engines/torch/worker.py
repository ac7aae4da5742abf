# PyTorch DistributedDataParallel on synthetic images.


class Torch:
    def __init__(self):
        import torch

        self.torch = torch
        torch.set_num_threads(ARGS["threads"])

    def hello(self):
        import torchvision

        return {
            "version": self.torch.__version__,
            "torchvision": torchvision.__version__,
            "python": sys.version.split()[0],
            "path": sys.executable,
        }

    def join(self):
        import datetime
        import torch.distributed as dist

        backend = ARGS["backend"]
        self.device = self.torch.device("cuda", ARGS["localRank"]) if backend == "nccl" else self.torch.device("cpu")
        if backend == "nccl":
            self.torch.cuda.set_device(self.device)
        dist.init_process_group(backend, timeout=datetime.timedelta(seconds=ARGS["timeoutS"]))
        self.gather([RANK])  # makes the connections
        told = {"backend": backend, "world": dist.get_world_size(), "threads": self.torch.get_num_threads()}
        for library in ("libtorch_cpu", "libgloo", "libnccl"):
            if loaded(library):
                told[library] = ", ".join(loaded(library))
        if backend == "nccl":
            told["device"] = self.torch.cuda.get_device_name(self.device)
            told["nccl"] = ".".join(map(str, self.torch.cuda.nccl.version()))
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
        model = worker.model(job["model"]).to(self.device, dtype)
        shapes = [(name, tuple(p.shape), str(p.dtype)) for name, p in model.named_parameters()]
        shapes.append(("batch", (job["batch"], job["image"]), ""))
        for rank, other in enumerate(worker.gather(shapes)):
            for mine, theirs in zip(shapes, other):
                if mine != theirs or len(shapes) != len(other):
                    raise ValueError(f"ranks disagree on the model: rank {RANK} has {mine}, rank {rank} has {theirs}")
        ids = {"device_ids": [self.device.index]} if self.is_cuda else {}
        cap = {} if job["bucketMiB"] is None else {"bucket_cap_mb": job["bucketMiB"]}
        self.ddp = DistributedDataParallel(model, **ids, **cap)
        self.forward = torch.compile(self.ddp) if job["compile"] else self.ddp
        torch.manual_seed((job["seed"] + RANK) % 2**63)
        self.images = torch.randn(job["batch"], 3, job["image"], job["image"], device=self.device, dtype=dtype)
        self.labels = torch.randint(0, 1000, (job["batch"],), device=self.device)
        self.criterion = torch.nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.named = list(model.named_parameters())
        self.names = [name for name, _ in self.named]
        self.profiler = None
        self.kept = 0
        self.steps(3)  # the first has one bucket of all gradients; then buckets are made anew, in the order of gradients
        grads = sum(p.numel() * p.element_size() for _, p in self.named)
        buffers = list(model.buffers())
        buckets = [int(size) for size in str(self.ddp._get_ddp_logging_data().get("rebuilt_bucket_sizes", "")).split(",") if size.strip()]
        self.facts = {
            "gradBytes": grads,
            "bufferBytes": sum(b.numel() * b.element_size() for b in buffers),
            "buckets": buckets,
            # Buffers are sent from rank 0 before each step, by type; without the log (private) the caps tell.
            "collectives": (len(buckets) or 1 + grads // (26214400)) + len({b.dtype for b in buffers}),
        }
        if job["profiled"]:
            self.observe()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with self.torch.autocast(self.device.type, self.torch.bfloat16, enabled=self.autocast):
            loss = self.criterion(self.forward(self.images).float(), self.labels)
        loss.backward()
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
        self.profiler = None
        start = time.monotonic_ns()
        self.steps(1)
        plain = time.monotonic_ns() - start
        columns = self.parts(events)
        self.observe()
        return {**columns, "unprofiled": plain}

    def parts(self, events):
        def span(event):
            begin = round(event["ts"] * 1000)
            return begin, begin + round(event.get("dur", 0) * 1000)

        last = max((span(e) for e in events if e["name"] == "collbench step" and e.get("cat") == "user_annotation"))
        inside = [e for e in events if span(e)[1] > last[0]]
        if self.is_cuda:
            kernels = [e for e in inside if e.get("cat") == "kernel"]
            is_call = lambda e: "Collective name" in e.get("args", {}) or "nccl" in e["name"].lower()
            calls = [span(e) for e in kernels if is_call(e)]
            computed = [span(e) for e in kernels if not is_call(e)]
        else:
            calls = [span(e) for e in inside if e.get("cat") == "user_annotation" and e["name"].startswith("gloo:")]
            computed = [span(e) for e in inside if e.get("cat") == "cpu_op" and e["name"].startswith("aten::")]
        found = parts_of(sorted(calls), computed, self.worker.gather)
        return {**found, "profiled": last[1] - last[0]}


serve(Torch)
