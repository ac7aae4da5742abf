import type { TransportCapability } from '../../orchestration/protocol.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { agentPath } from '../native.ts';

function linesFor(transport: TransportCapability, width: number, explain: boolean): string[] {
  const { name, available, medium, detail, reason, remedy, summary } = transport;
  const state = !available ? 'not here' : medium === 'emulated' ? 'EMULATED' : 'hardware';
  const lines = [`  ${name.padEnd(width)}  ${state.padEnd(8)}  ${available ? detail : reason}`];
  const indent = ' '.repeat(width + 14);
  if (explain) lines.push(`${indent}${summary}`);
  if (remedy !== '' && (explain || !available)) lines.push(`${indent}${remedy}`);
  return lines;
}

/** What can run here, and why the rest cannot. */
export async function transports(asked: { explain: boolean; json: boolean }): Promise<ExitCode> {
  const { probe } = await import('../../orchestration/probe.ts');
  const { transports: known, inventory, engines } = await probe(agentPath(), []);
  if (asked.json) {
    for (const transport of known) process.stdout.write(`${JSON.stringify(transport)}\n`);
    return exitCode.ok;
  }
  const width = Math.max(...known.map(({ name }) => name.length));
  const lines = [
    `transports on ${inventory.hostname} (${engines.join(', ')} engine)`,
    ...known.flatMap((transport) => linesFor(transport, width, asked.explain)),
  ];
  if (!asked.explain) lines.push('More: collbench transports --explain');
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCode.ok;
}
