import { detailText, seriesNameText } from '../../results/schema/index.ts';
// Text for --explain: what each transport would load and set here, and why. No rank is started.
import { amongRanks, planningEngines, rejectionTexts } from '../../suites/engines/index.ts';
import { requireLink } from '../../suites/transports/index.ts';
import type { MeasuredCommand } from '../../suites/workloads/index.ts';
import { engines, type MeasureOptions } from '../engines/index.ts';
import type { TransportCapability } from '../protocol.ts';
import { groupLines, groupsPlanOf } from './groups.ts';
import type { HostPool } from './host-pool.ts';
import { probeForPlan } from './probe-hosts.ts';

/**
 * Returns lines for --explain: what would run on the first host, without measuring. The hosts are probed. A transport that cannot
 * run gets lines with reason and remedy.
 * @throws Refusal if the engine does not have a transport or an algorithm
 * @throws FailureError if a host cannot be probed
 */
export async function explain(
  command: MeasuredCommand,
  options: MeasureOptions,
  nodes: HostPool,
): Promise<string[]> {
  requireLink(options, options.transport ?? []);
  const engine = engines[options.engine];
  const planning = planningEngines[options.engine];
  const { choices: wanted, leftOut } = planning.series(command, options);
  const ranks = options.ranks ?? planning.usual.ranks;
  const { choices, leftOut: ofRanks } = amongRanks(
    wanted,
    ranks === null || options.groups !== null ? [] : [ranks],
  );
  const lines: string[] = [];
  for (const choice of choices) {
    const { names, hosts, settings } = await probeForPlan(engine, options, nodes, choice);
    const [host] = hosts;
    if (host === undefined) continue;
    if (lines.length === 0) {
      lines.push(...engine.headLines(host.result, options, settings));
      if (ranks !== null) lines.push(...linesOfGroups(command, options, host.name, ranks));
    }
    for (const [i, capability] of host.result.probed.entries()) {
      const name = names[i] ?? capability.name;
      if (choice.isOver?.(name) === false) continue;
      lines.push(...stateLines(seriesNameText({ transport: name, ...choice.fixed }), capability));
      lines.push(...engine.settingLines(name, capability, options, command.name, choice));
    }
  }
  return [...lines, ...rejectionTexts([...leftOut, ...ofRanks]).map((text) => `left out: ${text}`)];
}

function linesOfGroups(
  command: MeasuredCommand,
  options: MeasureOptions,
  name: string,
  ranks: number,
): string[] {
  const here = { name, ranks: Array.from({ length: ranks }, (_, rank) => rank) };
  const groups = groupsPlanOf(command, options, [here]);
  return groups === undefined ? [] : groupLines(groups);
}

function stateLines(
  name: string,
  { available, medium, detail, reason, remedy }: TransportCapability,
): string[] {
  if (!available)
    return [`transport ${name}: cannot run here`, ...[reason, remedy].map((line) => `  ${line}`)];
  return [`transport ${name}: ${medium === 'emulated' ? 'EMULATED, ' : ''}${detailText(detail)}`];
}
