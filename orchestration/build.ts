import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageFacts, packageFile } from '../results/package.ts';
import { refuse } from '../results/refusals/refusal.ts';

/** Where the launcher built the native parts; a build made by hand is found too. */
export const nativeDir = (): string => process.env.COLLBENCH_NATIVE_DIR || packageFile('build', 'native');

/** @throws Refusal when there is no agent */
export function agentPath(): string {
  const agent = path.join(nativeDir(), 'collbench-agent');
  if (existsSync(agent)) return agent;
  throw refuse('no-agent', { folder: nativeDir() });
}

export const version = (): string => packageFacts().version;
