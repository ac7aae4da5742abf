// Facts about this machine that make some causes of lost time more likely.
import { setTimeout } from 'node:timers/promises';
import { readPlainText } from '../../results/files/plain.ts';
import { numbersOf } from '../../results/fold.ts';
import { busyShareOf } from '../../results/machine/cpu.ts';
import type { CpuLoad, ExplainedMachine } from '../../suites/explain/causes.ts';

/** Milliseconds over which the load of the CPUs is averaged: 50 ticks of /proc/stat. */
const readMs = 500;

/** Maximum bytes that are read of a file. /proc/stat is largest, on a machine with thousands of CPUs and interrupts. */
const maxBytes = 4 * 2 ** 20;
const textOf = (file: string): Promise<string> => readPlainText(file, maxBytes).catch(() => '');

/**
 * Reads for half a second the load of the CPUs that this process may use, and the kernel's limit of socket buffers. `loads`: the
 * busy share of each CPU, 0 to 1; a CPU whose load cannot be read is left out. `maxBufferBytes`: the smaller limit of receiving
 * and sending; null = unknown. No rank may run meanwhile, because its load would be counted. Never rejects.
 */
export async function readMachine(): Promise<Pick<ExplainedMachine, 'loads' | 'maxBufferBytes'>> {
  const before = await textOf('/proc/stat');
  await setTimeout(readMs);
  const after = await textOf('/proc/stat');
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(await textOf('/proc/self/status'))?.[1] ?? '';
  const loads = await Promise.all(
    numbersOf(allowed).map(async (cpu): Promise<CpuLoad[]> => {
      const share = busyShareOf(cpu, before, after);
      const siblings = await textOf(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
      return share === null ? [] : [{ cpu, core: Math.min(cpu, ...numbersOf(siblings.trim())), share }];
    }),
  );
  const limits = await Promise.all(
    ['tcp_rmem', 'tcp_wmem'].map((name) => textOf(`/proc/sys/net/ipv4/${name}`)),
  );
  // Each line has the smallest, the initial and the largest size.
  const largest = limits.map((line) => Number(line.trim().split(/\s+/)[2])).filter(Number.isFinite);
  return {
    loads: loads.flat(),
    maxBufferBytes: largest.length === 0 ? null : Math.min(...largest),
  };
}
