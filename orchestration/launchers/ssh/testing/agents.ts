import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { HostSpec } from '../../../hosts/host.ts';
import { type AgentProcess, StartError } from '../../launcher.ts';
import type { SshLab } from './sshd.ts';

/** A replacement for the agent: prints its process id, answers each line, ends when stdin ends. */
const echo = `#!/bin/sh
echo "hello $$"
while IFS= read -r line; do
  case $line in
  env\\ *) printenv "\${line#env }" ;;
  die) kill -KILL $$ ;;
  *) printf 'heard %s\\n' "$line" ;;
  esac
done
echo bye
`;

export async function echoAgent(lab: SshLab, text = echo): Promise<string> {
  const file = path.join(lab.folder, 'echo-agent');
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

/** A host as a user might have typed it; missing fields come from the ssh configuration. */
export const hostSpec = (name: string, more: Partial<HostSpec> = {}): HostSpec => ({
  name,
  address: name,
  user: null,
  port: null,
  slots: null,
  ...more,
});

/** Returns a function that reads an agent's next line; null = the output has ended. */
export function linesOf(agent: AgentProcess): () => Promise<string | null> {
  const lines = createInterface({ input: agent.output })[Symbol.asyncIterator]();
  return async () => {
    const next = await lines.next();
    return next.done === true ? null : next.value;
  };
}

export const grace = { endMs: 10_000, termMs: 10_000 };

/**
 * Sends one line to the agent and ends it in order.
 * @returns the agent's answer; null if its output ended before
 * @throws the start error, or how the agent ended, if it sends no first line
 */
export async function exchangeLine(agent: AgentProcess, line = 'you'): Promise<string | null> {
  const next = linesOf(agent);
  const hello = await next();
  if (hello === null) throw (await agent.exit).startError ?? new Error(JSON.stringify(await agent.exit));
  await agent.write(line);
  const answer = await next();
  await agent.stop(grace);
  return answer;
}

/** The error with which the agent could not be started. @throws Error if the agent was started */
export async function refusal(agent: AgentProcess): Promise<StartError> {
  agent.output.resume();
  const { startError, ...rest } = await agent.exit;
  if (startError instanceof StartError) return startError;
  await agent.stop(grace);
  throw startError ?? new Error(`it was started: ${JSON.stringify(rest)} ${agent.stderrTail().join('\n')}`);
}
