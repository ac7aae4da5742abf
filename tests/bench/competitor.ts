import { type ChildProcess, spawn } from 'node:child_process';

/** Program that is busy for up to 3 s, then idle for up to 3 s, repeatedly. */
const program =
  'const spin = () => { const end = Date.now() + 3000 * Math.random(); while (Date.now() < end); setTimeout(spin, 3000 * Math.random()); }; spin();';

/** Starts a process that uses one core at random times, until it is killed. */
export const competitor = (): ChildProcess => spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
