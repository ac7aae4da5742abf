import { type BlockRecord, isRunByNccl, type OkCell, type TransportPlan } from '../../schema/index.ts';

/**
 * Returns which algorithm, protocol and connections the library used. Names come from the blocks of the trial `attest`, which is
 * not timed and records them; if these have none, from all blocks.
 * @returns `choice`: several names are joined by "+"; algorithm is "" and protocol null if unknown. `pathsSeen`: number of
 * connections by path type ("P2P/CUMEM"), the last that each launch reported, summed over the launches; absent without connections
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
 * True if the library used another algorithm or protocol than the settings request, such as `simple` for long messages in spite of
 * `ll`. False if nothing was requested, if the name used is unknown, or if the setting leaves the operation to NCCL, which chooses
 * itself.
 */
export function isOtherChoice(
  { settings }: Pick<TransportPlan, 'settings'>,
  { algorithm, protocol }: OkCell['choice'],
): boolean {
  const isOther = (requested: string | undefined, took: string) =>
    requested !== undefined && !isRunByNccl(requested) && took !== '' && isOtherWord(requested, took);
  return isOther(settings?.algo, algorithm) || isOther(settings?.proto, protocol ?? '');
}

/** True if two names of algorithms or protocols differ in more than case and separators: COLLNET_DIRECT equals CollNetDirect. */
export const isOtherWord = (a: string, b: string): boolean => plain(a) !== plain(b);

/**
 * Returns the kind of in-network reduction if the algorithm lets switches reduce, so that less is sent over each link; null for
 * algorithms that reduce on GPUs, and if the algorithm is unknown.
 */
export const switchReductionOf = ({ algorithm }: OkCell['choice']): 'nvls' | 'collnet' | null =>
  /nvls/i.test(algorithm) ? 'nvls' : /collnet/i.test(algorithm) ? 'collnet' : null;

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9+]/g, '');

const distinct = (words: readonly (string | undefined)[]): string =>
  [...new Set(words.filter((word) => word))].join('+');

/**
 * Returns for each launch the number of connections between ranks by path type ("P2P/CUMEM"), {} if none is known. The counts of a
 * block begin at the start of the ranks, so the last block with counts has the full number.
 * @param blocks in the order of measuring
 */
export function launchPaths(blocks: readonly BlockRecord[]): Map<number, Record<string, number>> {
  const paths = new Map<number, Record<string, number>>();
  for (const block of blocks) paths.set(block.launch, block.paths ?? paths.get(block.launch) ?? {});
  return paths;
}
