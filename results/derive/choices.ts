import type { BlockRecord, OkCell, TransportPlan } from '../schema/index.ts';

/**
 * What the engine chose, from all blocks of a cell. Blocks that were measured to tell it (`attest`) go before timed ones,
 * which say nothing where saying it would cost time.
 * @returns several different words joined by "+"; algorithm "" and protocol null where nothing was said
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
 * Whether what ran is not what its series is named for: `ll` of long messages goes as `simple`. False where nothing was said,
 * or names cannot be compared (`nccl-ring` of engine nvshmem).
 */
export function isOtherChoice(
  { settings }: Pick<TransportPlan, 'settings'>,
  { algorithm, protocol }: OkCell['choice'],
): boolean {
  const isOther = (asked: string | undefined, took: string) =>
    asked !== undefined && !asked.startsWith('nccl') && took !== '' && isOtherWord(asked, took);
  return isOther(settings?.algo, algorithm) || isOther(settings?.proto, protocol ?? '');
}

/** NCCL writes RING and COLLNET_DIRECT in one place, Ring and CollNetDirect in another. */
export const isOtherWord = (a: string, b: string): boolean => plain(a) !== plain(b);

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9+]/g, '');

const distinct = (words: readonly (string | undefined)[]): string =>
  [...new Set(words.filter((word) => word))].join('+');

/** Connections by the way they go, of each launch: those its last block knew of, as ranks count from their start. */
export function launchPaths(blocks: readonly BlockRecord[]): Map<number, Record<string, number>> {
  const paths = new Map<number, Record<string, number>>();
  for (const block of blocks) paths.set(block.launch, block.paths ?? paths.get(block.launch) ?? {});
  return paths;
}
