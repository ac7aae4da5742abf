import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from './exit.ts';

/** Folder of package.json; this file runs as dist/bin/native.js. */
export const packageRoot = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Where the launcher built the native parts; a build made by hand is found too. */
export const nativeDir = (): string =>
  process.env.COLLBENCH_NATIVE_DIR || path.join(packageRoot, 'build', 'native');

/** @throws CommandError when there is no agent */
export function agentPath(): string {
  const agent = path.join(nativeDir(), 'collbench-agent');
  if (existsSync(agent)) return agent;
  throw new CommandError(`no collbench-agent in ${nativeDir()}`, [
    '  COLLBENCH_NATIVE_DIR names a folder without a native build, or it was removed',
    'Next: unset COLLBENCH_NATIVE_DIR, or in a checkout: npm run build:native',
  ]);
}

export function version(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
