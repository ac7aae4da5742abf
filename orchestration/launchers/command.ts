import type { AgentProcess, Launcher } from './launcher.ts';
import { startChild } from './local.ts';
import { fill } from './template.ts';

/**
 * Agents by any command that joins our stdin and stdout to a program over there: pdsh-like tools, `kubectl exec -i`,
 * `docker exec -i`. The agent must lie there already, at the path of this machine or at `agentPath`.
 * @param template as `--launcher command:TEMPLATE`, e.g. "kubectl exec -i {host} -- {agent}"
 * @throws StartError the template cannot be
 */
export function commandLauncher(template: string): Launcher {
  fill(template, { host: 'host', agent: 'agent' });
  return {
    name: 'command',
    remote: true,
    start(host, agentPath): AgentProcess {
      const [program, ...args] = fill(template, { host, agent: agentPath }) as [string, ...string[]];
      return startChild(host, program, args, process.env);
    },
  };
}
