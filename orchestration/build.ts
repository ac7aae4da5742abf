import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageFacts, packageFile } from '../results/package.ts';
import { refuse } from '../results/refusals/refusal.ts';

/** LaunchContext the launcher built the native parts; a build made by hand is found too. */
export const nativeDir = (): string => process.env.COLLBENCH_NATIVE_DIR || packageFile('build', 'native');

/** The agent of all engines, else that of the embedded one, which is built first. @throws Refusal when there is none */
export function agentPath(): string {
  const agents = ['', 'first'].map((folder) => path.join(nativeDir(), folder, 'collbench-agent'));
  const agent = agents.find((file) => existsSync(file));
  if (agent !== undefined) return agent;
  throw refuse('no-agent', { folder: nativeDir() });
}

export const version = (): string => packageFacts().version;
