import type { Launcher } from './launcher.ts';
import { local } from './local.ts';
import { mock } from './mock.ts';

export type { AgentExit, AgentProcess, Launcher, StopGrace } from './launcher.ts';
export { StartError } from './launcher.ts';

/** Table of launchers that need no hosts; `mock` measures nothing and computes its times, for tests and demos. */
export const launchers = { local, mock } satisfies Record<string, Launcher>;
export type LauncherName = keyof typeof launchers;
