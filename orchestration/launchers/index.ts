import type { Launcher } from './launcher.ts';
import { local } from './local.ts';
import { mock } from './mock.ts';

export type { AgentExit, AgentProcess, Launcher, StopGrace } from './launcher.ts';
export { StartError } from './launcher.ts';

/** The table of launchers; a new one is a file and a row. `mock` measures nothing: decreed times, for tests and demos. */
export const launchers = { local, mock } satisfies Record<string, Launcher>;
export type LauncherName = keyof typeof launchers;
