import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { refuse } from '../../results/refusals/refusal.ts';
import { nativeDir } from '../build.ts';

/**
 * Library interfaces that have conformance tests. For each there are possible paths of its emulation (file or folder), relative to
 * the folder of the native build; the first path that exists is used.
 */
export const emulations = {
  mlx5: ['softmlx5/lookalikes', 'libsoftmlx5.so'],
  sisci: ['libsoftntb.so', 'softntb/libsoftntb.so'],
} as const;
export type EmulatedInterface = keyof typeof emulations;
export const interfaces = Object.keys(emulations) as EmulatedInterface[];
export const isInterface = (word: string): word is EmulatedInterface => Object.hasOwn(emulations, word);

const conformanceRow = z.object({
  group: z.string(),
  name: z.string(),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  /** Behaviour that the interface requires; "" unless the test failed. */
  expected: z.string(),
  /** Behaviour of the library in the test, or the reason why the test was skipped. */
  seen: z.string(),
});
export type ConformanceRow = z.infer<typeof conformanceRow>;

/** Returns the path of the file or folder with the emulation of an interface. @throws Refusal if it is not built */
export function emulationOf(which: EmulatedInterface): string {
  const file = emulations[which].map((one) => path.join(nativeDir(), one)).find((one) => existsSync(one));
  if (file === undefined) throw refuse('no-emulation-built', { which, folder: nativeDir() });
  return file;
}

/**
 * Runs the conformance tests of a library interface; yields the result of each test when it ends. Failed tests are results, not
 * errors. The test program is killed if the caller stops reading. Its stderr is that of this process.
 * @param which an interface, or `plugin`: the interface of NCCL to net plugins
 * @param library path of a library or of the folder with its files; "" lets the system's loader find it
 * @param adapters "EXPORTER,IMPORTER", for sisci; "" = adapter 0 for both
 * @throws Refusal if the test program is not built, or ends with another exit code than 0, for example because it cannot load the
 * library
 */
export async function* conformance(
  which: EmulatedInterface | 'plugin',
  library: string,
  adapters = '',
): AsyncGenerator<ConformanceRow> {
  const program = path.join(nativeDir(), 'collbench-conformance');
  if (!existsSync(program)) throw refuse('no-conformance-program', { folder: nativeDir() });
  const args = [which, library, ...(adapters === '' ? [] : ['', adapters])];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    for await (const line of createInterface({ input: child.stdout }))
      yield conformanceRow.parse(JSON.parse(line));
    const code = await ended;
    if (code !== 0) throw refuse('conformance-ended', { code });
  } finally {
    child.kill();
  }
}
