import { explainCommand } from './command-failures.ts';
import type { AgentProcess, Launcher } from './launcher.ts';
import { startChild } from './local.ts';
import { shellLauncher } from './shell.ts';
import { fill, namesAgent } from './template.ts';

/**
 * Returns a launcher that starts agents by any command that connects its stdin and stdout to a host: `kubectl exec -i`, `docker
 * exec -i`, `nsenter`. A template with `{agent}` starts an agent that is already on the host, under the same path as on this
 * machine. Any other template starts a shell on the host, over which the agent is uploaded.
 * @param template TEMPLATE in `--launcher command:TEMPLATE`, for example "kubectl exec -i {host} -- sh"
 * @param remoteDir folder on the host in which an uploaded agent stays; null = a temporary one
 * @throws StartError if the template is invalid; errors of a start are in `exit` of the process
 */
export function commandLauncher(template: string, remoteDir: string | null): Launcher {
  const words = (host: string, agent: string): string[] => fill(template, { host, agent });
  const [program = ''] = words('host', 'agent');
  if (!namesAgent(template)) {
    return shellLauncher({
      name: 'command',
      words: (host) => words(host, ''),
      remoteDir,
      isShared: false,
      passesSignals: false,
      explain: (host, lines) => explainCommand(program, host, lines),
    });
  }
  return {
    name: 'command',
    remote: true,
    start(host, agentPath): AgentProcess {
      const [, ...args] = words(host, agentPath);
      return startChild(host, program, args, process.env);
    },
  };
}
