// Results of bench:flags, as a table for the terminal and for docs/truth.md.

export interface FlagLimits {
  machine: string;
  ranks: number;
  rounds: number;
  sizes: string[];
  /** Half width of the interval of three undisturbed launches, in log time, by size. */
  usualHalf: number[];
  rows: {
    what: string;
    flag: string;
    /**
     * Value that the flag uses, mean over runs and sizes: busy cores of other processes, share of late samples, or
     * retransmitted segments per operation.
     */
    seen: number;
    /** Share of cells with the flag. */
    flagged: number;
    /** Median log ratio to the undisturbed run of the same round, by size. */
    moved: number[];
    /** Value of the flag and change of the pipelined figure, by size, because large messages have more segments to lose. */
    bySize?: { seen: number[]; movedPipelined: number[] };
  }[];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const change = (log: number): string => `${log < 0 ? '' : '+'}${percent(Math.expm1(log))}`;

/** Table in Markdown. Changes beyond the usual interval are bold. */
export function flagTable({ machine, ranks, rounds, sizes, usualHalf, rows }: FlagLimits): string {
  const head = ['beside', 'seen', 'flagged', ...sizes];
  const lines = rows.map(({ what, flag, seen, flagged, moved, bySize }) => [
    what,
    bySize === undefined
      ? flag === 'late'
        ? `${percent(seen)} late`
        : `${seen.toFixed(2)} cores`
      : `${bySize.seen.map(percent).join(', ')} sent again`,
    `${flag} ${percent(flagged)}`,
    ...moved.map((log, s) => {
      const text = Math.abs(log) > (usualHalf[s] ?? 0) ? `**${change(log)}**` : change(log);
      return bySize === undefined ? text : `${text}, pipelined ${change(bySize.movedPipelined[s] ?? 0)}`;
    }),
  ]);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `allreduce over socket, ${ranks} ranks, ${rounds} rounds, on ${machine}. Three undisturbed launches give ${usualHalf
      .map((half, s) => `±${percent(half)} at ${sizes[s]}`)
      .join(', ')}; a move beyond that is bold.`,
    '',
    row(head),
    row(head.map(() => '---')),
    ...lines.map(row),
    '',
  ].join('\n');
}
