import { type ChildProcess, spawn } from 'node:child_process';

/** Busy for up to 3 s, then idle for up to 3 s, for ever. */
const program =
  'const spin = () => { const end = Date.now() + 3000 * Math.random(); while (Date.now() < end); setTimeout(spin, 3000 * Math.random()); }; spin();';

/** A process that comes and goes on one core, until it is killed. */
export const competitor = (): ChildProcess => spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
