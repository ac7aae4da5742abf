// npm run bench:traffic-ucx [-- ROUNDS]: puts of collbench beside ucp_put_bw of ucx_perftest (Debian package ucx-utils), on the same
// descriptors: as many bytes each, between two processes of this machine, over shared memory and TCP. Both are measured in turn, A B
// B A, and each round gives a ratio. Prints the median of the ratios with its interval.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { type CellRecord, derivedOf } from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { freePorts } from '../cluster/ports.ts';
import { command } from '../e2e/harness.ts';
import { signInterval } from './sign-interval.ts';

const rounds = Number(process.argv[2] ?? 7);
const sizes = [65_536, 1_048_576];
/** Descriptors of one measurement: enough bytes for a tenth of a second at 10 GB/s, at most 20,000 descriptors. */
const countOf = (bytes: number): number => Math.min(20_000, Math.ceil(1e9 / bytes));
const transports = [
  { own: 'shm', ucx: 'posix,sysv,cma,self' },
  { own: 'socket', ucx: 'tcp,self' },
] as const;
type Transports = (typeof transports)[number];

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-ucx-'));

/** Bandwidth of collbench's puts, GB/s: 64 under way at once, back to back. @throws {Error} if the run fails */
function ownGBps({ own }: Transports, bytes: number): number {
  const words = ['put', '--window', '64', '--sizes', sizeFlag(bytes), '--transport', own, '--launches', '1'];
  const { stdout, stderr, status } = spawnSync(
    command,
    [...words, '--iters', '20', '--check', '0', '--json'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`collbench ${words.join(' ')}: exit code ${status}\n${stderr}`);
  const [cell] = stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line));
  const rate = cell?.status === 'ok' ? derivedOf(cell, 'bandwidth', 'pipelined') : null;
  if (rate === null) throw new Error(`collbench ${words.join(' ')}: no bandwidth`);
  return rate.value;
}

/** Bandwidth of ucx_perftest, GB/s; it prints MB of 2^20 bytes. @throws {Error} if it fails */
async function ucxGBps({ ucx }: Transports, bytes: number): Promise<number> {
  const [free = 0] = await freePorts(1, '127.0.0.1');
  const port = String(free);
  const env = { ...process.env, UCX_TLS: ucx, UCX_NET_DEVICES: ucx.startsWith('tcp') ? 'lo' : 'all' };
  const server = spawn('stdbuf', ['-oL', 'ucx_perftest', '-p', port], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const over = once(server, 'exit');
  try {
    await once(server.stdout, 'data'); // It prints that it waits for a connection.
    const args = ['127.0.0.1', '-p', port, '-t', 'ucp_put_bw', '-s', String(bytes), '-w', '200', '-f', '-v'];
    const { stdout, stderr, status } = spawnSync('ucx_perftest', [...args, '-n', String(countOf(bytes))], {
      env,
      encoding: 'utf8',
    });
    const last = stdout.trim().split('\n').at(-1) ?? '';
    const perSecond = Number(last.split(',').at(-1));
    if (status !== 0 || !(perSecond > 0))
      throw new Error(`ucx_perftest ${args.join(' ')}: ${stdout}${stderr}`);
    return (perSecond * bytes) / 1e9;
  } finally {
    server.kill();
    await over;
  }
}

try {
  for (const transport of transports)
    for (const bytes of sizes) {
      const pairs: [own: number, ucx: number][] = [];
      for (let round = 0; round < rounds; round += 1)
        if (round % 2 === 0) pairs.push([ownGBps(transport, bytes), await ucxGBps(transport, bytes)]);
        else {
          const ucx = await ucxGBps(transport, bytes);
          pairs.push([ownGBps(transport, bytes), ucx]);
        }
      const ratios = pairs.map(([own, ucx]) => own / ucx);
      const { low, high, coverage } = signInterval(ratios);
      const [own, ucx] = [0, 1].map((side) => median(pairs.map((pair) => pair[side] ?? 0)).toFixed(2));
      console.log(
        `${transport.own}, ${sizeFlag(bytes)}: collbench ${own} GB/s, UCX ${ucx} GB/s, ratio ${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}, ${Math.round(100 * coverage)} %, ${rounds} rounds)`,
      );
    }
} finally {
  rmSync(folder, { recursive: true });
}
