// --explain: what each transport would load and set here, and why. Nothing is started.
import type { TransportCapability } from '../orchestration/protocol.ts';
import type { CollectiveName } from '../results/schema/index.ts';
import { groupLines, groupsPlanOf } from './groups.ts';
import { environmentIn, gpusIn, gpusText } from './nccl-setting.ts';
import { cpuDefaults, type Options } from './options/index.ts';
import { probeCpu } from './prepare-cpu.ts';
import { choicesOf, probeNccl } from './prepare-nccl.ts';
import { fullName, requireLink, transportOptions } from './transport-options.ts';

/** @throws CommandError a transport or an algorithm that the engine does not have */
export async function explain(collective: CollectiveName, options: Options): Promise<string> {
  requireLink(options.link);
  const lines =
    options.engine === 'nccl'
      ? await explainNccl(collective, options)
      : await explainCpu(collective, options);
  return `${lines.join('\n')}\n`;
}

function stateLines(
  name: string,
  { available, medium, detail, reason, remedy }: TransportCapability,
): string[] {
  if (!available)
    return [`transport ${name}: cannot run here`, ...[reason, remedy].map((line) => `  ${line}`)];
  return [`transport ${name}: ${medium === 'emulated' ? 'EMULATED, ' : ''}${detail}`];
}

async function explainCpu(collective: CollectiveName, options: Options): Promise<string[]> {
  const names = (options.transport ?? cpuDefaults.transport).map(fullName);
  const { probed, inventory } = await probeCpu(names, options);
  const transports = probed.flatMap((capability, i) => {
    const name = names[i] as string;
    const told = Object.entries(transportOptions(name, options));
    return [
      ...stateLines(name, capability),
      ...told.map(([word, value]) => `  ${word} = ${value === '' ? '(none)' : value}`),
    ];
  });
  const { inProcess, algorithm } = options;
  const ranks = options.ranks ?? cpuDefaults.ranks;
  const here = { name: inventory.hostname, ranks: Array.from({ length: ranks }, (_, rank) => rank) };
  const groups = groupsPlanOf(collective, options, [here]);
  return [
    `engine cpu: collectives of collbench itself in host memory, ${ranks} ranks as ${inProcess ? 'threads of this process' : 'processes'}`,
    `  algorithm ${algorithm ?? 'chosen by size'}; no variable is set, no vendor library is loaded`,
    ...(groups === undefined ? [] : groupLines(groups)),
    ...transports,
  ];
}

async function explainNccl(collective: CollectiveName, options: Options): Promise<string[]> {
  const { choices, leftOut } = choicesOf(collective, options);
  const lines: string[] = [];
  for (const choice of choices) {
    const { result, names, settings } = await probeNccl(options, [choice]);
    if (lines.length === 0) lines.push(...engineLines(result.probed[0], settings));
    for (const [i, capability] of result.probed.entries()) {
      lines.push(
        ...stateLines(`${names[i]}${choice.suffix}`, capability),
        ...environmentIn(capability).map(([name, value]) => `  ${name}=${value}`),
      );
    }
  }
  return [...lines, ...leftOut.map((reason) => `left out: ${reason}`)];
}

function engineLines(
  capability: TransportCapability | undefined,
  settings: Record<string, string>,
): string[] {
  const facts = capability?.facts ?? {};
  const gpus = gpusIn(facts);
  const library =
    facts['nccl.path'] === undefined
      ? 'no NCCL found'
      : `NCCL ${facts['nccl.version'] ?? '(version unknown)'} of ${facts['nccl.path']}, found by ${facts['nccl.how'] ?? 'search'}`;
  const driver =
    facts['driver.version'] === undefined
      ? 'none found'
      : `for CUDA ${facts['driver.version']}${facts['driver.release'] === undefined ? '' : `, release ${facts['driver.release']}`}`;
  const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
  return [
    `engine nccl: ${library}`,
    `  driver: ${driver}`,
    `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
    `  NVRTC: ${facts['nvrtc.path'] ?? `${facts['nvrtc.missing'] ?? 'not looked for'}: the host fills and compares`}`,
    ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
  ];
}
