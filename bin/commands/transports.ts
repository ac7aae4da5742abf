import type { ProbeRequest, ProbeResult } from '../../orchestration/probe.ts';
import type { TransportCapability } from '../../orchestration/protocol.ts';
import type { EngineName } from '../../results/schema/index.ts';
import { wrap } from '../../results/text.ts';
import { agentPath } from '../native.ts';
import { environmentIn, gpusIn, gpusText, ncclTransports } from '../nccl-setting.ts';
import { type Command, jsonOption, withExamples } from './command.ts';

const ncclSummaries: Record<(typeof ncclTransports)[number], string> = {
  p2p: 'GPU to GPU on one machine, over NVLink or PCIe',
  shm: 'through host memory of one machine',
  socket: "NCCL's own TCP net",
  ib: "NCCL's own InfiniBand and RoCE net",
  sisci: "collbench's net plugin over libsisci, or softntb where no Dolphin card is",
  plugin: 'any other NCCL net plugin: plugin:PATH',
  ibgda: 'InfiniBand driven by the GPU itself (GIN with GDAKI)',
};

interface Section {
  engine: EngineName;
  /** Behind the name of the engine in its headline. */
  told: string;
  transports: TransportCapability[];
}

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

/** What the engine with GPUs has; a build without it says so. */
async function probeAll(): Promise<{ result: ProbeResult; sections: Section[] }> {
  const { probe } = await import('../../orchestration/probe.ts');
  const plain = await probe(agentPath(), []);
  const sections: Section[] = [{ engine: 'cpu', told: 'host memory', transports: plain.transports }];
  if (!plain.engines.includes('nccl')) return { result: plain, sections };
  const requests = ncclTransports.map(
    (transport): ProbeRequest => ({ engine: 'nccl', transport, options: {} }),
  );
  const { probed } = await probe(agentPath(), requests);
  const transports = probed.map((capability, i) => {
    const name = ncclTransports[i] as (typeof ncclTransports)[number];
    return { ...capability, name, summary: ncclSummaries[name] };
  });
  const facts = probed[0]?.facts ?? {};
  const gpus = gpusIn(facts);
  const library = facts['nccl.version'] === undefined ? 'no NCCL' : `NCCL ${facts['nccl.version']}`;
  const told = `${library}, ${gpus.length === 0 ? 'no GPU' : gpusText(gpus)}`;
  return { result: plain, sections: [...sections, { engine: 'nccl', told, transports }] };
}

async function list(explained: boolean, json: boolean): Promise<void> {
  const { result, sections } = await probeAll();
  if (json) {
    for (const { engine, transports: found } of sections) {
      for (const transport of found) process.stdout.write(`${JSON.stringify({ engine, ...transport })}\n`);
    }
    return;
  }
  const width = Math.max(
    ...sections.flatMap(({ transports: found }) => found.map(({ name }) => name.length)),
  );
  const lines = [`transports on ${result.inventory.hostname}`];
  for (const { engine, told, transports: found } of sections) {
    const { shared, transports: own } =
      engine === 'nccl' ? withoutShared(found) : { shared: [], transports: found };
    lines.push(`engine ${engine}: ${told}`, ...shared.flatMap((text) => wrap(`  ${text}`, 120)));
    lines.push(...own.flatMap((one) => linesFor(one, width, explained)));
  }
  if (sections.length === 1) lines.push('engine nccl: not part of this build');
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
