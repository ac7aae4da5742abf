import { median } from 'simple-statistics';

/** Nanoseconds of one allreduce, for one side, size and round; null = not measured. */
export interface SizeTiming {
  bytes: number;
  pipelinedNs: number;
  isolatedNs: number | null;
  /** Flags of collbench that mark a disturbance; Open MPI has none. */
  flags?: string[];
}

/** Results for one size: medians over all rounds, and medians of the ratios within each round. */
export interface SizeRow {
  bytes: number;
  ours: { pipelinedNs: number; isolatedNs: number | null };
  mpi: { pipelinedNs: number; isolatedNs: number | null };
  /** Pipelined ratio, collbench / MPI. The benchmark judges this one, because OSU and nccl-tests measure in the same way. */
  ratio: number;
  isolatedRatio: number | null;
  /** Lowest and highest pipelined ratio of all rounds. */
  spread: [number, number];
  /** Number of rounds with each flag of collbench. */
  flags: Record<string, number>;
}

const medianOrNull = (values: (number | null)[]): number | null => {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : median(there);
};

function counted(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/**
 * Rows by size. Ratios are computed within a round, in which both sides ran under the same conditions; then their median is
 * taken.
 * @param ours timings by round and size: [round][size]
 * @param mpi timings of the same rounds
 * @throws {Error} if one side has no figure for a size in a round
 */
export function compare(sizes: number[], ours: SizeTiming[][], mpi: SizeTiming[][]): SizeRow[] {
  return sizes.map((bytes) => {
    const of = (rounds: SizeTiming[][], who: string) =>
      rounds.map((round, index) => {
        const timing = round.find((entry) => entry.bytes === bytes);
        if (timing === undefined)
          throw new Error(`${who} has no figure for ${bytes} B in round ${index + 1}`);
        return timing;
      });
    const mine = of(ours, 'collbench');
    const theirs = of(mpi, 'Open MPI');
    const summary = (timings: SizeTiming[]) => ({
      pipelinedNs: median(timings.map((t) => t.pipelinedNs)),
      isolatedNs: medianOrNull(timings.map((t) => t.isolatedNs)),
    });
    const pairs = mine.map((timing, index) => ({ mine: timing, theirs: theirs[index] as SizeTiming }));
    const ratios = pairs.map((pair) => pair.mine.pipelinedNs / pair.theirs.pipelinedNs);
    return {
      bytes,
      ours: summary(mine),
      mpi: summary(theirs),
      ratio: median(ratios),
      isolatedRatio: medianOrNull(
        pairs.map(({ mine: a, theirs: b }) =>
          a.isolatedNs === null || b.isolatedNs === null ? null : a.isolatedNs / b.isolatedNs,
        ),
      ),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      flags: counted(mine.flatMap(({ flags = [] }) => flags)),
    };
  });
}

const ns = (value: number | null) => (value === null ? '-' : Math.round(value).toLocaleString('en-US'));
const times = (value: number | null) => (value === null ? '-' : value.toFixed(2));

/** Lines of the table of one pair; rows with a ratio above `limit` end in a mark. */
export function table(title: string, rows: SizeRow[], limit: number): string[] {
  const line = (cells: string[]) => cells.map((cell, i) => cell.padStart(i === 0 ? 11 : 13)).join('');
  return [
    title,
    line(['bytes', 'ours ns', 'MPI ns', 'ratio', 'rounds', 'ours isol.', 'MPI isol.', 'ratio']),
    ...rows.map(
      (row) =>
        line([
          row.bytes.toLocaleString('en-US'),
          ns(row.ours.pipelinedNs),
          ns(row.mpi.pipelinedNs),
          times(row.ratio),
          `${times(row.spread[0])}-${times(row.spread[1])}`,
          ns(row.ours.isolatedNs),
          ns(row.mpi.isolatedNs),
          times(row.isolatedRatio),
        ]) +
        (row.ratio > limit ? `  > ${limit}` : '') +
        Object.entries(row.flags)
          .map(([name, rounds]) => `  ${name} in ${rounds}`)
          .join(''),
    ),
  ];
}
