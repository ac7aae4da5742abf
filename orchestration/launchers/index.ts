import type { Launcher } from './launcher.ts';
import { local } from './local.ts';
import { mock } from './mock.ts';

export type { AgentExit, AgentProcess, Launcher, StopGrace } from './launcher.ts';
export { StartError } from './launcher.ts';

/**
 * Launchers that need no hosts, by name. `mock` starts agents that measure nothing and compute their times, for tests and
 * demos.
 */
export const launchers = { local, mock } satisfies Record<string, Launcher>;
export type LauncherName = keyof typeof launchers;
