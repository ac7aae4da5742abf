import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuse } from '../results/refusals/refusal.ts';

/** Folder of package.json; this file runs as dist/orchestration/build.js. */
export const packageRoot = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Where the launcher built the native parts; a build made by hand is found too. */
export const nativeDir = (): string =>
  process.env.COLLBENCH_NATIVE_DIR || path.join(packageRoot, 'build', 'native');

/** @throws Refusal when there is no agent */
export function agentPath(): string {
  const agent = path.join(nativeDir(), 'collbench-agent');
  if (existsSync(agent)) return agent;
  throw refuse('no-agent', { folder: nativeDir() });
}

export function version(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
