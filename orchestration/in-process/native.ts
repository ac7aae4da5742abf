import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { packageFile } from '../../results/package.ts';

/**
 * Functions that the native addon collbench.node exports. Strings are the JSON messages that controller and agents exchange. `new
 * Launch` starts the ranks of a launch; `deliver` then gets each message of the launch, in the event loop. `hello` and `probe`
 * return the agent's answers. `new Sampler` prepares readings of this machine's system load (CPU, network, GPUs). `sources`: names
 * of the sources to read, such as "cpu"; absent or empty = all that the machine has; an unknown name throws `invalid_argument`.
 */
export interface NativeAddon {
  hello(): string;
  probe(message: string): string;
  Launch: new (message: string, deliver: (line: string) => void) => NativeLaunch;
  Sampler: new (sources?: readonly string[]) => NativeSampler;
}
export interface NativeLaunch {
  measure(message: string): void;
  stop(): void;
  abort(kind: string, code: string, message: string): void;
}
export interface NativeSampler {
  channels(): { name: string; unit: string; cumulative: boolean }[];
  /**
   * Writes one reading of each channel into `values`, in the order of channels(); NaN if the kernel no longer provides it.
   * `values` must have one element per channel.
   * @returns [startNs, costNs]: start of the reading (CLOCK_MONOTONIC) and its duration, both in ns
   */
  read(values: Float64Array): [number, number];
}

/**
 * An error from native code; `code` is one of failures/error-codes.ts, for example `unavailable`, `cancelled`, `invalid_argument`.
 * `message` is a text for people.
 */
export class NativeError extends Error {
  readonly code: string;
  /** Rank that failed; null if the error does not belong to a single rank. */
  readonly rank: number | null;
  /** Phase in which the rank failed, such as connecting or running; null if unknown. */
  readonly phase: string | null;
  constructor(code: string, message: string, rank: number | null = null, phase: string | null = null) {
    super(message);
    this.name = 'NativeError';
    this.code = code;
    this.rank = rank;
    this.phase = phase;
  }
}

let loaded: NativeAddon | undefined;

/** Returns the folder of the prebuilt native parts that npm installed for this machine; undefined if there are none. */
function prebuiltFolder(): string | undefined {
  const current = createRequire(import.meta.url)(packageFile('bin', 'current.cjs')) as {
    prebuiltFolder?(): string | undefined;
  };
  return current.prebuiltFolder?.();
}

/**
 * Loads collbench.node, once per process, and returns its functions. It is searched in COLLBENCH_NATIVE_DIR; if that is unset or
 * empty, in the prebuilt folder; if there is none, in build/native of the package. Only one of these folders is searched.
 * @throws {NativeError} `unavailable` if the file is missing there
 */
export function loadAddon(): NativeAddon {
  if (loaded) return loaded;
  const folder = process.env.COLLBENCH_NATIVE_DIR || prebuiltFolder() || packageFile('build', 'native');
  const file = path.join(folder, 'collbench.node');
  if (!existsSync(file)) {
    throw new NativeError(
      'unavailable',
      `${file} does not exist: build it with "node bin/setup.mjs --native" in the package, or set COLLBENCH_NATIVE_DIR to a native build`,
    );
  }
  loaded = createRequire(import.meta.url)(file) as NativeAddon;
  return loaded;
}
