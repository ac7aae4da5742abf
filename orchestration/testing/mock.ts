import path from 'node:path';
import { packageRoot } from '../../results/package.ts';
import type { Launcher } from '../launchers/launcher.ts';
import { startChild } from '../launchers/local.ts';

const program = path.join(packageRoot, 'dist/orchestration/testing/mock-agent.js');

/**
 * Launcher that starts a real process with the agent's protocol, which measures nothing: its times come from a random
 * generator with a fixed seed.
 * @param fault fault to simulate, `<kind>` or `<kind>:<block>` (`die:2` exits when block 2 is due), for all hosts or by
 * host; "" = none
 */
export function mockLauncher(fault: string | Record<string, string> = ''): Launcher {
  const faultOn = (host: string): string => (typeof fault === 'string' ? fault : (fault[host] ?? ''));
  return {
    name: 'mock',
    start: (host) =>
      startChild(host, process.execPath, [program], { ...process.env, COLLBENCH_MOCK_FAULT: faultOn(host) }),
  };
}
