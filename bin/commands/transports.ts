import { agentPath } from '../../orchestration/build.ts';
import type { ProbeRequest } from '../../orchestration/probe.ts';
import type { TransportSection } from '../../reports/terminal/transports.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { printJson, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { jsonOption } from './options.ts';

const options = {
  explain: {
    ...switchOption,
    describe: 'Explain each transport, its settings, and what a missing one needs',
  },
  ...jsonOption,
};

/**
 * Finds out which transports each engine can use on this machine, one section per engine. Engines without a list of transports
 * (toy, script) are left out. In a section, `listing` is null if the engine is not part of this build.
 * @throws Refusal if the agent is not built
 * @throws FailureError if the agent does not answer
 */
async function probeAll(): Promise<{ hostname: string; sections: TransportSection[] }> {
  const { probe } = await import('../../orchestration/probe.ts');
  const { engines } = await import('../../orchestration/engines/index.ts');
  const { environmentIn } = await import('../../orchestration/engines/nccl/facts.ts');
  const askHere = (requests: ProbeRequest[]) => probe(agentPath(), requests);
  const plain = await askHere([]);
  const sections: TransportSection[] = [];
  for (const { name: engine, listing } of Object.values(engines)) {
    const found = await listing(plain, askHere);
    if (found === null && plain.engines.some(({ name }) => name === engine)) continue;
    const variables = new Map(found?.transports.map((one) => [one.name, environmentIn(one)]));
    sections.push({ engine, listing: found, variables });
  }
  return { hostname: plain.inventory.hostname, sections };
}

async function list({ explain, json }: OptionValues<typeof options>): Promise<void> {
  const { hostname, sections } = await probeAll();
  if (json) {
    for (const { engine, listing } of sections)
      for (const transport of listing?.transports ?? []) printJson({ engine, ...transport });
    return;
  }
  const { transportsText } = await import('../../reports/terminal/transports.ts');
  printText(transportsText(hostname, sections, explain, shapeOfStdout().columns));
}

export const transports = defineCommand({
  command: 'transports',
  describe: 'List the transports that can run here, and why the others cannot.',
  examples: [['collbench transports --explain', 'with what the missing ones need']],
  options,
  handler: list,
});
