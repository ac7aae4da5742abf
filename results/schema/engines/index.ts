import { cpu } from './cpu.ts';
import { foreign } from './foreign.ts';
import { nccl } from './nccl.ts';
import type { EngineRow } from './row.ts';
import { toy } from './toy.ts';

export type { EngineRow } from './row.ts';

/** Every engine of this build, and those of imported runs. */
export const engines: readonly EngineRow[] = [cpu, nccl, toy, ...foreign];

/** The row of an engine; of one that a newer collbench had, what can be said of any. */
export function engineRow({ engine }: { engine: string }): EngineRow {
  return (
    engines.find((row) => row.name === engine) ?? { ...cpu, name: engine, title: engine, isForeign: true }
  );
}

/** Those that measure here. */
export const engineNames: readonly string[] = engines
  .filter(({ isForeign }) => !isForeign)
  .map(({ name }) => name);
