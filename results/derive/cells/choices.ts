import type { BlockRecord, OkCell, TransportPlan } from '../../schema/index.ts';

/**
 * Returns the algorithm, protocol and paths that the engine chose, from all blocks of a cell. If there are `attest` blocks, which
 * are not timed, their choice is used: timed blocks do not record it if that would cost time.
 * @returns different names joined by "+"; algorithm "" and protocol null if unknown
 */
export function choicesOf(blocks: readonly BlockRecord[]): Pick<OkCell, 'choice' | 'pathsSeen'> {
  const attested = blocks.filter((block) => block.trial === 'attest');
  const said = (of: (block: BlockRecord) => string | undefined): string => {
    const first = distinct(attested.map(of));
    return first === '' ? distinct(blocks.map(of)) : first;
  };
  const protocol = said((block) => block.protocol);
  const seen: Record<string, number> = {};
  for (const paths of launchPaths(blocks).values()) {
    for (const [way, count] of Object.entries(paths)) seen[way] = (seen[way] ?? 0) + count;
  }
  return {
    choice: {
      algorithm: said((block) => block.algorithm),
      protocol: protocol === '' ? null : protocol,
    },
    ...(Object.keys(seen).length === 0 ? {} : { pathsSeen: seen }),
  };
}

/**
 * True if the engine's choice differs from the settings in the series' name. Example: protocol `ll` was requested, but long
 * messages are sent as `simple`. False if the choice is unknown, or if the names cannot be compared (`nccl-ring` of engine
 * nvshmem).
 */
export function isOtherChoice(
  { settings }: Pick<TransportPlan, 'settings'>,
  { algorithm, protocol }: OkCell['choice'],
): boolean {
  const isOther = (asked: string | undefined, took: string) =>
    asked !== undefined && !asked.startsWith('nccl') && took !== '' && isOtherWord(asked, took);
  return isOther(settings?.algo, algorithm) || isOther(settings?.proto, protocol ?? '');
}

/** True if two names differ apart from case and separators: NCCL writes both COLLNET_DIRECT and CollNetDirect. */
export const isOtherWord = (a: string, b: string): boolean => plain(a) !== plain(b);

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9+]/g, '');

const distinct = (words: readonly (string | undefined)[]): string =>
  [...new Set(words.filter((word) => word))].join('+');

/**
 * Returns the number of connections by path type, for each launch. Ranks count since their start, so the last block of a launch
 * has the full number.
 */
export function launchPaths(blocks: readonly BlockRecord[]): Map<number, Record<string, number>> {
  const paths = new Map<number, Record<string, number>>();
  for (const block of blocks) paths.set(block.launch, block.paths ?? paths.get(block.launch) ?? {});
  return paths;
}
