import type { AgentProcess, Launcher } from './launcher.ts';
import { startChild } from './local.ts';
import { fill } from './template.ts';

/**
 * Starts agents by any command that connects its stdin and stdout to a remote program: pdsh-like tools, `kubectl exec -i`,
 * `docker exec -i`. The agent program must already be on the host, at `agentPath`; the default is its path on this machine.
 * @param template TEMPLATE in `--launcher command:TEMPLATE`, for example "kubectl exec -i {host} -- {agent}"
 * @throws StartError if the template is invalid
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
