import { engineRow, measuredOf } from '../../results/schema/index.ts';
import { type EnqueueBound, enqueueBoundSentence, enqueueBoundsOf } from '../device.ts';
import { type DocumentBlock, namedParagraph, tableOf } from '../document/blocks.ts';
import { fastestRanges, sweepsOf, winnersText } from '../fastest-choices.ts';
import { nounOf, timesOnDevice } from '../rows.ts';
import { isOnDevice, type ReportRun, type SeriesGroup } from '../series.ts';
import { fakeGpus, formatTimeRange, joinWords, plural } from '../wording.ts';

/**
 * Returns sentences, and if several series are limited a table, about how the host's time to enqueue operations limits small
 * messages. They are written for readers who know nccl-tests. Empty if operations are not timed on GPUs, or if the host limits no
 * series.
 */
export function enqueueExplanation(group: SeriesGroup): DocumentBlock[] {
  if (!isOnDevice(group)) return [];
  const bounds = enqueueBoundsOf(group);
  if (bounds.length === 0) return [];
  const { x, row, title } = group;
  const table = tableOf<EnqueueBound>(
    [
      { head: 'over', cell: ({ series }) => series.name },
      { head: x.noun, quantity: x, cell: ({ smallest }) => smallest.x },
      { head: 'pipelined', quantity: 'ns', cell: ({ smallest }) => smallest.pipelinedNs },
      { head: 'enqueue', quantity: 'ns', cell: ({ smallest }) => smallest.enqueueNs },
      { head: 'latency', quantity: 'ns', cell: ({ smallest }) => smallest.latencyNs },
      {
        head: 'hidden from',
        align: 'right',
        cell: ({ meeting }) => (meeting === null ? `no ${x.noun}` : x.about(meeting.about)),
      },
      { head: 'pipelined there', quantity: 'ns', cell: ({ meeting }) => meeting?.at.pipelinedNs ?? null },
      { head: 'latency there', quantity: 'ns', cell: ({ meeting }) => meeting?.at.latencyNs ?? null },
    ],
    bounds,
    { caption: `Where the host’s enqueue cost hides the ${row.noun}, ${title}` },
  );
  return [
    { kind: 'paragraph', text: enqueueBoundSentence([group]) },
    ...(bounds.length === 1 ? [] : [table]),
  ];
}

/**
 * Returns full sentences that name the fastest algorithm and protocol at the smallest x, by the workload's first main time, and
 * those at the largest x if others are the fastest there. There is one sentence per run, transport, load and group of ranks for
 * which several algorithms or protocols were fixed in turn.
 */
export function fastestChoiceText(groups: readonly SeriesGroup[]): string[] {
  return groups.flatMap((group) =>
    sweepsOf(group).flatMap(({ name, rows, sides: [side] }) => {
      const best = fastestRanges(rows, side?.name ?? '');
      const [first, last] = [best[0], best.at(-1)];
      if (first?.best[0] === undefined || last?.best[0] === undefined) return [];
      const large = best.length > 1 ? `, at ${group.x.text(last.last)} ${winnersText(last.best[0])}` : '';
      return [
        `Over ${name} the fastest choice at ${group.x.text(first.first)} is ${winnersText(first.best[0])}${large}.`,
      ];
    }),
  );
}

/** True if a rank of the run used a fake NCCL or CUDA library, as in tests. Its times are not those of GPUs. */
export function isFake({ record }: ReportRun): boolean {
  return (
    record.plan.transports.some(({ detail }) => detail.isFake === true) ||
    record.launches.some(({ ranks }) => ranks.some(({ detail }) => detail.isFake === true))
  );
}

/**
 * Returns the time in ns that one time mark (an event recorded between operations) takes on the GPU, as the rank measured it, in a
 * list with one number; empty if the rank did not measure it.
 * @param facts values that a rank reported, by name
 */
export function markNs(facts: Readonly<Record<string, string>>): number[] {
  const ns = Number(facts['hold.markNs']);
  return ns > 0 ? [ns] : [];
}

/** Returns the paragraphs about how times were measured on GPUs; empty if no run was timed on GPUs. */
export function deviceMethod(runs: readonly ReportRun[]): DocumentBlock[] {
  const mine = runs.filter((r) => timesOnDevice(r.record.plan));
  if (mine.length === 0) return [];
  const cells = mine.flatMap((r) => r.cells);
  const facts = mine.flatMap((r) =>
    r.record.launches.flatMap((l) => l.ranks.map((rank) => rank.facts ?? {})),
  );
  const marks = facts.flatMap(markNs);
  const settings = joinWords([...new Set(mine.flatMap((r) => callText(r) ?? []))], 'or');
  const engines = mine.map((r) => engineRow(r.record.plan));
  const libraries = [...new Set(engines.flatMap(({ library, title }) => (library === null ? [] : [title])))];
  const latencyBatches = cells.flatMap((cell) => measuredOf(cell, 'latency')?.batch ?? []);
  const batch =
    latencyBatches.length === 0 ? '' : ` There are ${batchPhrase(latencyBatches)} between two marks.`;
  const cost =
    marks.length === 0
      ? 'What the marks themselves cost is measured at the start of each rank and subtracted.'
      : `What the marks themselves cost (${formatTimeRange(marks)}, measured at the start of each rank) is subtracted.`;
  return [
    namedParagraph(
      'Latency on the GPUs',
      `All calls are queued behind the hold kernel, which holds each GPU’s queue until every rank has queued its calls and a common instant has come. The first operation after it aligns the ranks and is not counted. Then events are recorded between the operations; the time is the latest end over the ranks minus the latest start, over the number of operations between the two. ${cost}${batch} No enqueue cost of the host is in this figure.`,
    ),
    namedParagraph(
      'Enqueue cost',
      `What the host needs to queue one call while the hold kernel waits: median per rank and launch, slowest rank. It is no part of the latency. In the pipelined interval the host queues while the GPUs work, so the slower one sets the pace: the enqueue cost at small sizes, the ${nounOf(mine.flatMap((r) => r.record.plan.workloads))} at large ones.`,
    ),
    ...(settings === '' ? [] : [namedParagraph('Buffers and calls', settings)]),
    ...(libraries.length === 0
      ? []
      : [
          namedParagraph(
            'Once per launch',
            `Making the communicator and the first call of each size (which may connect ranks) are reported separately, under ${joinWords(libraries)} above.`,
          ),
        ]),
    ...(mine.some(isFake) ? [namedParagraph('Fake GPUs', `In this report ${fakeGpus}.`)] : []),
  ];
}

function batchPhrase(batches: readonly number[]): string {
  const [low, high] = [Math.min(...batches), Math.max(...batches)];
  return low === high ? plural(low, 'operation') : `${low} to ${high} operations`;
}

const callText = ({ record: { plan } }: ReportRun): string | undefined =>
  engineRow(plan).callSentences?.(plan.settings).join(' ');
