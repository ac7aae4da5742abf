// npm run bench:record [-- --backend gloo|nccl --python python3 --rounds 9 --times auto --batch 32]: how much `collbench
// record` slows down a DDP step. Jobs of two ranks run alternately with and without recording, and the order changes from round
// to round. Measuring begins after the first 512 calls, which are all timed. Exit 0: the upper end of the interval is within
// the goal; 1: above; 2: a required program is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mean, median } from 'simple-statistics';
import { signInterval } from './sign-interval.ts';

const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
/** Maximum slowdown as a share of a step. */
const goal = 0.01;
const stepsPerBlock = 10;

/**
 * Job whose rank 0 writes the seconds of a step in each block. Without GPUs the model has 8 layers, each a bucket of 1 MiB;
 * with GPUs it is ResNet50.
 */
const job = `import json, os, time
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
backend, blocks, warmup, size, batch, out = os.environ["BENCH_JOB"].split()
rank = int(os.environ["RANK"])
dist.init_process_group(backend)
torch.manual_seed(0)
if backend == "nccl":
    import torchvision
    torch.cuda.set_device(rank % torch.cuda.device_count())
    torch.backends.cudnn.benchmark = True
    model = DistributedDataParallel(torchvision.models.resnet50().cuda(), device_ids=[torch.cuda.current_device()])
    inputs = torch.randn(int(batch), 3, 224, 224, device="cuda")
else:
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // 2))
    layers = [torch.nn.Linear(512, 512) for _ in range(8)]
    model = DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=1)
    inputs = torch.randn(int(batch), 512)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
    if backend == "nccl":
        torch.cuda.synchronize()
steps(int(warmup))
times = []
for _ in range(int(blocks)):
    start = time.perf_counter()
    steps(int(size))
    times.append((time.perf_counter() - start) / int(size))
if rank == 0:
    with open(out, "w") as file:
        json.dump({"torch": torch.__version__, "times": times}, file)
dist.destroy_process_group()
`;

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'gloo' },
    python: { type: 'string', default: process.env.COLLBENCH_TORCH_PYTHON ?? 'python3' },
    rounds: { type: 'string', default: '9' },
    blocks: { type: 'string', default: '30' },
    times: { type: 'string', default: 'auto' },
    /** Images or rows per rank. With small batches GPUs wait for the host, and the results contain the host's scatter. */
    batch: { type: 'string', default: '32' },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 6) throw new RangeError('--rounds N: a whole number from 6');
if (values.backend !== 'gloo' && values.backend !== 'nccl') throw new RangeError('--backend: gloo or nccl');

const folder = mkdtempSync(path.join(tmpdir(), 'bench-record-'));
const script = path.join(folder, 'job.py');
let starts = 0;

/**
 * Seconds of a step in each block of one job.
 * @throws {Error} with the output of a failed job
 */
function stepTimes(isRecorded: boolean): { torch: string; times: number[] } {
  const name = path.join(folder, `job-${starts++}`);
  const both = ['sh', '-c', 'RANK=1 "$0" "$1" & RANK=0 "$0" "$1" && wait $!', values.python, script];
  const record = ['record', '--mpicc', 'none', '--times', values.times, '--out', `${name}.run`, '--'];
  const words = isRecorded ? [path.join(home, 'bin/collbench'), ...record, ...both] : both;
  // The warm-up exceeds 512 NCCL calls; a step of ResNet50 has six or more.
  const warmup = values.backend === 'nccl' ? 100 : 20;
  const env = {
    ...process.env,
    ...{
      WORLD_SIZE: '2',
      MASTER_ADDR: '127.0.0.1',
      MASTER_PORT: `${20_000 + ((process.pid + starts) % 20_000)}`,
    },
    BENCH_JOB: `${values.backend} ${values.blocks} ${warmup} ${stepsPerBlock} ${values.batch} ${name}.json`,
  };
  const [program = '', ...rest] = words;
  const { status, stdout, stderr, error } = spawnSync(program, rest, { env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`exit code ${status} of ${program}:\n${stdout}${stderr}`);
  const ended = JSON.parse(readFileSync(`${name}.json`, 'utf8')) as { torch: string; times: number[] };
  rmSync(`${name}.run`, { recursive: true, force: true });
  return ended;
}

const ms = (seconds: number): string => `${(1000 * seconds).toFixed(3)} ms`;
const percent = (ratio: number): string => `${(100 * (ratio - 1)).toFixed(2)} %`;

function main(): number {
  writeFileSync(script, job);
  const found = { on: [] as number[][], off: [] as number[][] };
  for (let round = 0; round < rounds; round += 1) {
    for (const isRecorded of round % 2 === 0 ? [false, true] : [true, false]) {
      const { torch, times } = stepTimes(isRecorded);
      if (starts === 1)
        process.stdout.write(
          `PyTorch ${torch}, ${values.backend}, 2 ranks, batch ${values.batch}, ${rounds} rounds\n`,
        );
      found[isRecorded ? 'on' : 'off'].push(times);
    }
    const [on, off] = [found.on.at(-1) ?? [], found.off.at(-1) ?? []];
    process.stdout.write(`  round ${round + 1}: ${ms(median(off))} a step, recorded ${ms(median(on))}\n`);
  }
  let highest = 0;
  for (const [what, of] of [['median', median] as const, ['mean', mean] as const]) {
    const ratios = found.on.map((times, round) => of(times) / of(found.off[round] ?? []));
    const { low, high, coverage } = signInterval(ratios);
    if (what === 'median') highest = high;
    process.stdout.write(
      `${what} step: record costs ${percent(median(ratios))} [${percent(low)}, ${percent(high)}] ` +
        `(${(100 * coverage).toFixed(1)} % interval over pairs of jobs), upper end ${percent(high)}\n`,
    );
  }
  const isWithin = highest - 1 < goal;
  process.stdout.write(
    `${isWithin ? 'within' : 'NOT SHOWN to be within'} the goal of ${100 * goal} % of a step\n`,
  );
  return isWithin ? 0 : 1;
}

try {
  process.exitCode = main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
