import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageFacts, packageFile } from '../results/package.ts';
import { refuse } from '../results/refusals/refusal.ts';

/**
 * Folder of the native build: COLLBENCH_NATIVE_DIR, which the launcher script sets; if it is unset or empty, build/native of the
 * package. The folder may not exist.
 */
export const nativeDir = (): string => process.env.COLLBENCH_NATIVE_DIR || packageFile('build', 'native');

/**
 * Returns the path of the agent program with all engines. If it is not built, the agent with only the cpu engine, in the subfolder
 * `first`, which a build makes before the other.
 * @throws Refusal if neither is built
 */
export function agentPath(): string {
  const agents = ['', 'first'].map((folder) => path.join(nativeDir(), folder, 'collbench-agent'));
  const agent = agents.find((file) => existsSync(file));
  if (agent !== undefined) return agent;
  throw refuse('no-agent', { folder: nativeDir() });
}

export const version = (): string => packageFacts().version;
