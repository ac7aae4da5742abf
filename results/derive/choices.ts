import type { BlockRecord, OkCell } from '../schema/index.ts';

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

const distinct = (words: readonly (string | undefined)[]): string =>
  [...new Set(words.filter((word) => word))].join('+');

/** Connections by the way they go, of each launch: those its last block knew of, as ranks count from their start. */
export function launchPaths(blocks: readonly BlockRecord[]): Map<number, Record<string, number>> {
  const paths = new Map<number, Record<string, number>>();
  for (const block of blocks) paths.set(block.launch, block.paths ?? paths.get(block.launch) ?? {});
  return paths;
}
