import { agentPath } from '../../orchestration/build.ts';
import type { EngineListing } from '../../orchestration/engines/index.ts';
import { environmentIn } from '../../orchestration/engines/nccl/facts.ts';
import type { ProbeRequest } from '../../orchestration/probe.ts';
import type { TransportCapability } from '../../orchestration/protocol.ts';
import type { EngineName } from '../../results/schema/index.ts';
import { wrap } from '../../results/text.ts';
import { type Command, jsonOption, withExamples } from './command.ts';

/** Leading sentences that all texts share; "" where there are none. */
export function sharedLead(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let lead = '';
  for (const sentence of first.split(/(?<=\.) (?=[A-Z])/)) {
    const longer = lead === '' ? sentence : `${lead} ${sentence}`;
    if (!others.every((text) => text === longer || text.startsWith(`${longer} `))) break;
    lead = longer;
  }
  return lead;
}

/** What keeps all of them from running is said once; each keeps what is its own. */
function withoutShared(transports: readonly TransportCapability[]): {
  shared: string[];
  transports: TransportCapability[];
} {
  if (transports.some(({ available }) => available)) return { shared: [], transports: [...transports] };
  const reason = sharedLead(transports.map((one) => one.reason));
  const remedy = sharedLead(transports.map((one) => one.remedy));
  if (reason === '') return { shared: [], transports: [...transports] };
  const rest = transports.map((one) => {
    const own = one.reason.slice(reason.length).trim();
    const help = one.remedy.slice(remedy.length).trim();
    return { ...one, reason: own === '' ? 'as said above' : own, remedy: own === '' ? '' : help };
  });
  return { shared: [reason, remedy].filter((text) => text !== ''), transports: rest };
}

function linesFor(transport: TransportCapability, width: number, explain: boolean): string[] {
  const { name, available, medium, detail, reason, remedy, summary } = transport;
  const state = !available ? 'not here' : medium === 'emulated' ? 'EMULATED' : 'hardware';
  const indent = ' '.repeat(width + 14);
  const said = (text: string) => wrap(`${indent}${text}`, 120);
  const [first = '', ...more] = said(available ? detail : reason);
  const lines = [`  ${name.padEnd(width)}  ${state.padEnd(8)}  ${first.trimStart()}`, ...more];
  if (explain && summary !== '') lines.push(...said(summary));
  if (remedy !== '' && (explain || !available)) lines.push(...said(remedy));
  if (explain) lines.push(...environmentIn(transport).map(([key, value]) => `${indent}${key}=${value}`));
  return lines;
}

/** What each engine has; null = it is not part of this build. */
async function probeAll(): Promise<{ hostname: string; sections: [EngineName, EngineListing | null][] }> {
  const [{ probe }, { engines }] = await Promise.all([
    import('../../orchestration/probe.ts'),
    import('../../orchestration/engines/index.ts'),
  ]);
  const askHere = (requests: ProbeRequest[]) => probe(agentPath(), requests);
  const plain = await askHere([]);
  const sections: [EngineName, EngineListing | null][] = [];
  for (const engine of Object.values(engines))
    sections.push([engine.name, await engine.listing(plain, askHere)]);
  return { hostname: plain.inventory.hostname, sections };
}

async function list(explained: boolean, json: boolean): Promise<void> {
  const { hostname, sections } = await probeAll();
  const all = sections.flatMap(([engine, listing]) =>
    (listing?.transports ?? []).map((transport) => ({ engine, ...transport })),
  );
  if (json) {
    for (const transport of all) process.stdout.write(`${JSON.stringify(transport)}\n`);
    return;
  }
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = [`transports on ${hostname}`];
  for (const [engine, listing] of sections) {
    if (listing === null) {
      lines.push(`engine ${engine}: not part of this build`);
      continue;
    }
    const { headline, transports: found, sharesReasons } = listing;
    const { shared, transports: own } = sharesReasons
      ? withoutShared(found)
      : { shared: [], transports: found };
    lines.push(`engine ${engine}: ${headline}`, ...shared.flatMap((text) => wrap(`  ${text}`, 120)));
    lines.push(...own.flatMap((one) => linesFor(one, width, explained)));
  }
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
      explain: { type: 'boolean', describe: 'What each is, what it sets, what would make a missing one run' },
      ...jsonOption,
    }),
  handler: ({ explain, json }) => list(explain === true, json === true),
};
