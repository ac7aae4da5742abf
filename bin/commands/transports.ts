import type { TransportCapability } from '../../orchestration/protocol.ts';
import { agentPath } from '../native.ts';
import { type Command, jsonOption, withExamples } from './command.ts';

function linesFor(transport: TransportCapability, width: number, explain: boolean): string[] {
  const { name, available, medium, detail, reason, remedy, summary } = transport;
  const state = !available ? 'not here' : medium === 'emulated' ? 'EMULATED' : 'hardware';
  const lines = [`  ${name.padEnd(width)}  ${state.padEnd(8)}  ${available ? detail : reason}`];
  const indent = ' '.repeat(width + 14);
  if (explain) lines.push(`${indent}${summary}`);
  if (remedy !== '' && (explain || !available)) lines.push(`${indent}${remedy}`);
  return lines;
}

async function list(explained: boolean, json: boolean): Promise<void> {
  const { probe } = await import('../../orchestration/probe.ts');
  const { transports: known, inventory, engines } = await probe(agentPath(), []);
  if (json) {
    for (const transport of known) process.stdout.write(`${JSON.stringify(transport)}\n`);
    return;
  }
  const width = Math.max(...known.map(({ name }) => name.length));
  const lines = [
    `transports on ${inventory.hostname} (${engines.join(', ')} engine)`,
    ...known.flatMap((transport) => linesFor(transport, width, explained)),
  ];
  if (!explained) lines.push('More: collbench transports --explain');
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What can run here, and why the rest cannot. */
export const transports: Command = {
  name: 'transports',
  command: 'transports',
  describe: 'List what can run here, and why the rest cannot.',
  examples: [['collbench transports --explain', 'with what would make the missing ones run']],
  builder: (parser) =>
    withExamples(parser, transports.examples).options({
      explain: { type: 'boolean', describe: 'What each is, and what would make a missing one run' },
      ...jsonOption,
    }),
  handler: ({ explain, json }) => list(explain === true, json === true),
};
