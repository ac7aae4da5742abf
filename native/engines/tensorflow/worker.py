# TensorFlow MultiWorkerMirroredStrategy on synthetic images: a loop of its own, since `fit` of Keras 3 fails there.


class TensorFlow:
    def __init__(self):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
        import tensorflow

        self.tf = tensorflow
        tensorflow.config.threading.set_intra_op_parallelism_threads(ARGS["threads"])

    def hello(self):
        return {
            "version": self.tf.__version__,
            "keras": self.tf.keras.__version__,
            "python": sys.version.split()[0],
            "path": sys.executable,
        }

    def join(self):
        tf = self.tf
        self.options = tf.distribute.experimental.CommunicationOptions
        self.ring = tf.distribute.experimental.CommunicationImplementation.RING
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy(
            communication_options=self.options(implementation=self.ring)
        )
        replicas = self.strategy.num_replicas_in_sync
        if replicas != WORLD:  # without TF_CONFIG it would run alone and say nothing
            raise RuntimeError(f"the strategy has {replicas} replicas, not {WORLD}")
        self.gather(RANK)
        return {"backend": "ring", "world": replicas, "threads": ARGS["threads"]}

    def collect(self, value):
        return self.strategy.gather(value, axis=0)

    def gather(self, value):
        text = list(json.dumps(value).encode())
        sizes = self.collect(self.tf.constant([len(text)], self.tf.int32)).numpy().tolist()
        padded = self.tf.constant(text + [32] * (max(sizes) - len(text)), self.tf.int32)
        everybody = bytes(self.collect(padded).numpy().tolist())
        return [json.loads(everybody[i * max(sizes) : (i + 1) * max(sizes)]) for i in range(WORLD)]

    def model(self, name, image):
        keras = self.tf.keras
        shape = (image, image, 3)
        if name == "tiny":
            layers = keras.layers
            return keras.Sequential(
                [
                    keras.Input(shape),
                    layers.Conv2D(8, 3),
                    layers.BatchNormalization(),
                    layers.ReLU(),
                    layers.GlobalAveragePooling2D(),
                    layers.Dense(1000),
                ]
            )
        known = {"efficientnet_b0": "EfficientNetB0", "resnet50": "ResNet50", "mobilenet_v3_large": "MobileNetV3Large"}
        make = getattr(keras.applications, known.get(name, name))
        return make(weights=None, input_shape=shape, classes=1000, classifier_activation=None)

    def release(self):
        import gc

        gc.collect()

    def build(self, job):
        return TensorFlowJob(self, job)


class TensorFlowJob:
    def __init__(self, worker, job):
        tf = worker.tf
        self.worker, self.tf = worker, tf
        if job["compile"]:
            raise ValueError("XLA has no collectives on CPUs: leave out --compiled")
        tf.keras.mixed_precision.set_global_policy("mixed_bfloat16" if job["numerics"] == "amp-bf16" else "float32")
        tf.keras.utils.set_random_seed(job["seed"] % 2**32)
        with worker.strategy.scope():
            model = worker.model(job["model"], job["image"])
        variables = model.trainable_variables
        shapes = [[v.path, list(v.shape)] for v in variables] + [["batch", [job["batch"], job["image"]]]]
        for rank, other in enumerate(worker.gather(shapes)):
            for mine, theirs in zip(shapes, other):
                if mine != theirs or len(shapes) != len(other):
                    raise ValueError(f"ranks disagree on the model: rank {RANK} has {mine}, rank {rank} has {theirs}")
        tf.random.set_seed((job["seed"] + RANK) % 2**32)
        images = tf.random.normal((job["batch"], job["image"], job["image"], 3))
        labels = tf.random.uniform((job["batch"],), 0, 1000, tf.int64)
        limit = 0 if job["bucketMiB"] is None else job["bucketMiB"] << 20
        options = worker.options(bytes_per_pack=limit, implementation=worker.ring)

        def train():
            with tf.GradientTape() as tape:
                logits = tf.cast(model(images, training=True), tf.float32)
                losses = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
                loss = tf.reduce_mean(losses)
                scaled = loss / WORLD  # gradients are summed over ranks
            gradients = tape.gradient(scaled, variables)
            context = tf.distribute.get_replica_context()
            gradients = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients, options)
            for variable, gradient in zip(variables, gradients):
                variable.assign_sub(0.01 * tf.cast(gradient, variable.dtype))
            return loss

        self.step = tf.function(lambda: worker.strategy.run(train))
        self.variables = variables
        self.names = [v.path for v in variables]
        self.steps(2)  # the first is traced
        sizes = [v.shape.num_elements() * 4 for v in variables]
        self.facts = {"gradBytes": sum(sizes), "bufferBytes": 0, "collectives": self.packs(sizes, limit)}

    def packs(self, sizes, limit):
        """Collectives of a step: in reversed order a new pack opens when the last one exceeds the limit; 0 = one of all."""
        packs, held = 1, 0
        for size in reversed(sizes):
            if limit and held > limit:
                packs, held = packs + 1, 0
            held += size
        return packs

    def steps(self, count):
        for _ in range(count):
            loss = self.step()
        self.loss = float(loss)

    def everybody(self):
        import zlib

        sums = [zlib.crc32(v.numpy().tobytes()) for v in self.variables]
        return self.worker.gather((sums, self.loss))


serve(TensorFlow)
