// npm run bench:fanout -- pods [ROUNDS] [PODS] [HOSTS]: the first figure of an 8-byte allreduce between pods made of namespaces, to
// which the agent is uploaded over `kubectl exec`: all pods, and as many as there are hosts, to which it is uploaded over ssh, in turn.
// They share the cores of this machine, so only the ratio says something. Bytes are all that the controller wrote, for each host.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { cluster, openCluster } from '../cluster/bed.ts';
import { openPods, pods } from '../cluster/pods.ts';
import { type FirstSample, firstFigure } from './fanout-command.ts';

/** Maximum ratio of the times over kubectl and over ssh: a shell and nsenter for each pod cost less than an ssh login. */
const limit = 1.5;

/**
 * Maximum number of neighbours (ARP entries) of all namespaces of this machine together. Pods and hosts that all know each other
 * exceed the kernel's default of 1024.
 */
const neighbourLimit = '/proc/sys/net/ipv4/neigh/default/gc_thresh3';

interface Typical {
  wallS: number;
  /** Megabytes that the controller wrote for each host. */
  hostMB: number;
}

/** @returns exit code: 0 = within the limit, 1 = not, 2 = a required program is missing */
export async function fanoutToPods(rounds: number, podCount: number, hostCount: number): Promise<number> {
  const missing = pods() || cluster();
  if (missing !== false) {
    console.error(missing);
    return 2;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-fanout-'));
  const formerLimit = await readFile(neighbourLimit, 'utf8');
  await writeFile(neighbourLimit, String(Math.max(Number(formerLimit), (podCount + hostCount + 2) ** 2)));
  const podBed = await openPods(
    Array.from({ length: podCount }, () => ({ shm: 'size=64m,mode=1777', volume: '' })),
  );
  try {
    const hostBed = await openCluster({ hosts: hostCount, rateMbit: null });
    try {
      const ranks = ['--ranks-per-node', '1'];
      const hosts = hostBed.hosts.map(({ name }) => name).join(',');
      const toPods = (count: number, name: string) => (round: number) =>
        firstFigure(
          ['--launcher', 'kubernetes', '--hosts', `pod-[0-${count - 1}]`, ...ranks],
          path.join(folder, `${name}-${round}`),
          [],
          podBed.environment,
        );
      // Another folder each time, so that the agent is not there yet.
      const toHosts = (round: number) =>
        firstFigure(
          ['--hosts', hosts, '--remote-dir', `up-${round}`, ...ranks],
          path.join(folder, `ssh-${round}`),
          hostBed.prefix,
          hostBed.environment,
        );
      const sides = [
        { name: `${podCount} over kubectl exec`, count: podCount, measure: toPods(podCount, 'all') },
        { name: `${hostCount} over kubectl exec`, count: hostCount, measure: toPods(hostCount, 'some') },
        { name: `${hostCount} over ssh`, count: hostCount, measure: toHosts },
      ].map((side) => ({ ...side, samples: [] as FirstSample[] }));
      for (let round = 0; round < rounds; round += 1)
        for (const { measure, samples } of round % 2 === 0 ? sides : sides.toReversed())
          samples.push(await measure(round));
      const [, pairedPods, pairedHosts] = sides.map(({ name, count, samples }) => {
        const typical = (of: (sample: FirstSample) => number): number => median(samples.map(of));
        const wallS = typical((one) => one.wallS);
        const hostMB = typical((one) => one.writtenBytes) / count / 1e6;
        const text = [
          `${wallS.toFixed(1)} s to the first figure`,
          `controller ${typical((one) => one.cpuS).toFixed(1)} s of CPU`,
          `${typical((one) => one.megabytes).toFixed(0)} MiB`,
          `${hostMB.toFixed(2)} MB written for each`,
        ];
        console.log(`${name}: ${text.join(', ')}`);
        return { wallS, hostMB };
      }) as [Typical, Typical, Typical];
      const time = pairedPods.wallS / pairedHosts.wallS;
      const bytes = pairedPods.hostMB / pairedHosts.hostMB;
      console.log(
        `kubectl exec against ssh: time ${time.toFixed(2)} x (limit ${limit}), bytes ${bytes.toFixed(2)} x`,
      );
      return time <= limit ? 0 : 1;
    } finally {
      await hostBed.close();
    }
  } finally {
    await podBed.close();
    await writeFile(neighbourLimit, formerLimit);
    await rm(folder, { recursive: true, force: true });
  }
}
