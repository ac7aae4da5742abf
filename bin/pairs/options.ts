// The command line of `collbench pairs` as options of the measurement behind it.

import { hasNodes, requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { CommandError } from '../exit.ts';
import { defaults, flags, type OptionKey, type Options, optionKeys } from '../options/index.ts';
import { defaultPairSize, type PairsOptions, pairsFlags, pairsKeys } from '../options/pairs.ts';
import { saidIn } from '../said-words.ts';

/** A pair is two ranks of two hosts, and nothing but the way between them differs. */
const fixed: Partial<Options> = {
  launches: 1,
  precision: null,
  dtype: ['float32'],
  inPlace: [false],
  attest: false,
  batch: 0,
};

/**
 * @param found what yargs read
 * @param words as typed
 * @throws CommandError options that contradict each other
 */
export function pairsOptions(
  found: Record<string, unknown>,
  words: readonly string[],
): { options: Options; pairs: PairsOptions } {
  const options = { ...defaults(), ...fixed };
  for (const key of pairsKeys) {
    const value = found[flags[key].name];
    if (value !== undefined) Object.assign(options, { [key]: value });
  }
  const pairs: PairsOptions = {
    size: (found[pairsFlags.size.name] as number | undefined) ?? defaultPairSize,
    oneAtATime: found[pairsFlags.oneAtATime.name] === true,
    bisect: (found[pairsFlags.bisect.name] as PairsOptions['bisect'] | undefined) ?? null,
  };
  options.sizes = [pairs.size];
  requireEngine(options, words);
  const { usual } = planningEngines[options.engine];
  if (hasNodes(options)) {
    ranksOfHosts(options, pairs);
  } else if (usual.ranks !== null) {
    requireSeveral(options);
  }
  if (usual.here.length === 1) options.transport ??= [...usual.here];
  if (pairs.bisect !== null) requireSearch(options, pairs);
  return { options, pairs };
}

function requireEngine(options: Options, words: readonly string[]): void {
  const said = saidIn(words);
  const own: readonly OptionKey[] = pairsKeys;
  for (const key of optionKeys) if (!own.includes(key)) said.delete(key);
  requireHostOptions(options, said);
  for (const key of ['nccl', 'gpus'] as const) {
    if (options.engine === 'nccl' || !said.has(key)) continue;
    throw new CommandError(`--${flags[key].name} says nothing to the cpu engine`, [
      '  it is for --engine nccl: add --engine nccl',
    ]);
  }
}

/** One rank of each host, or as many as `--hosts` says; the slots of a hostfile are the room there, not what is wanted. */
function ranksOfHosts(options: Options, { bisect }: PairsOptions): void {
  const { hosts, ranks } = options;
  if (ranks !== null) {
    throw new CommandError('--ranks and --hosts both say what is paired', [
      '  --ranks is for this machine alone; ranks of a host: --hosts gpu01:2,gpu02:2',
    ]);
  }
  const many = hosts?.find(({ slots }) => slots !== null && slots > 1);
  if (hosts === null || many === undefined) {
    options.ranksPerNode = 1;
    return;
  }
  if (bisect !== null) {
    throw new CommandError(`--hosts ${many.name}:${many.slots}: --bisect takes one rank of each host`, [
      '  it looks for hosts: name them without slots',
    ]);
  }
  options.hosts = hosts.map((host) => ({ ...host, slots: host.slots ?? 1 }));
}

function requireSeveral(options: Options): void {
  if ((options.ranks ?? 0) >= 2) return;
  throw new CommandError('pairs needs hosts, or at least two ranks of this machine', [
    '  allowed: --hosts gpu[01-08], --hostfile FILE, or --ranks 4',
    'Next: collbench pairs --hosts gpu[01-08]',
  ]);
}

function requireSearch(options: Options, { oneAtATime }: PairsOptions): void {
  const text = '--bisect';
  if (oneAtATime) {
    throw new CommandError(`--one-at-a-time says nothing to ${text}`, ['  a search makes one run at a time']);
  }
  if ((options.transport?.length ?? 0) > 1) {
    throw new CommandError(`${text} searches over one transport, not ${options.transport?.length}`, [
      '  allowed: one name behind --transport',
    ]);
  }
}
