import path from 'node:path';
import { packageRoot } from '../../results/package.ts';
import type { Launcher } from './launcher.ts';
import { startChild } from './local.ts';

const program = path.join(packageRoot, 'dist/orchestration/launchers/mock-agent.js');

/**
 * Starts a real process that speaks the agent's protocol and measures nothing: its times come from a seeded generator.
 * @param fault fault to simulate, `<kind>` or `<kind>:<block>`, on all hosts or by host; see mock-agent.ts
 */
export function mockLauncher(fault: string | Record<string, string> = ''): Launcher {
  const faultOn = (host: string): string => (typeof fault === 'string' ? fault : (fault[host] ?? ''));
  return {
    name: 'mock',
    start: (host) =>
      startChild(host, process.execPath, [program], { ...process.env, COLLBENCH_MOCK_FAULT: faultOn(host) }),
  };
}

export const mock = mockLauncher(process.env.COLLBENCH_MOCK_FAULT);
