import { bestTimes, stretchesOf, sweepsOf, winnersText } from '../best.ts';
import { type LaunchBound, launchBoundSentence, launchBoundsOf } from '../device.ts';
import type { Group, ReportedRun } from '../series.ts';
import { isOk, onDevice } from '../series.ts';
import {
  fakeGpus,
  formatBytes,
  formatBytesAbout,
  formatTime,
  formatTimeRange,
  joinWords,
  plural,
} from '../wording.ts';
import { type Html, html, table } from './markup.ts';

const micro = 'µs';

/** Which of the times of small messages is what, for readers of nccl-tests; nothing for other engines. */
export function launchExplanation(group: Group): Html {
  if (!onDevice(group)) return html``;
  const bounds = launchBoundsOf(group);
  if (bounds.length === 0) return html``;
  const text = html`<p>${launchBoundSentence([group], micro)}</p>`;
  if (bounds.length === 1) return text;
  const time = (ns: number | undefined) => (ns === undefined ? '–' : formatTime(ns, micro));
  return html`${text}${table(
    `Where the host’s launch hides the collective, ${group.title}`,
    [
      { head: 'over', cell: (b: LaunchBound) => b.series.name },
      { head: 'size', number: true, cell: (b) => formatBytes(b.smallest.bytes) },
      { head: 'pipelined', number: true, cell: (b) => time(b.smallest.pipelinedNs) },
      { head: 'launch', number: true, cell: (b) => time(b.smallest.launchNs) },
      { head: 'latency', number: true, cell: (b) => time(b.smallest.latencyNs) },
      {
        head: 'hidden from',
        number: true,
        cell: (b) => (b.meeting === null ? 'no size' : formatBytesAbout(b.meeting.aboutBytes)),
      },
      { head: 'pipelined there', number: true, cell: (b) => time(b.meeting?.at.pipelinedNs) },
      { head: 'latency there', number: true, cell: (b) => time(b.meeting?.at.latencyNs) },
    ],
    bounds,
  )}`;
}

/** Fastest algorithm and protocol per size of each transport with several; nothing where none was fixed. */
export function bestTables(group: Group): Html {
  return html`${sweepsOf(group).map(({ name, choices, rows }) =>
    table(
      `Fastest of ${plural(choices, 'choice')} of algorithm and protocol over ${name}; a tie where the 95 % intervals overlap.`,
      [
        { head: 'size', number: true, cell: (r: (typeof rows)[number]) => formatBytes(r.bytes) },
        ...(['latency', 'pipelined'] as const).flatMap((side) => [
          {
            head: side === 'latency' ? 'by latency' : 'by pipelined time',
            cell: (r: (typeof rows)[number]) => (r[side] === null ? '–' : winnersText(r[side])),
          },
          {
            head: 'time',
            number: true,
            cell: (r: (typeof rows)[number]) => (r[side] === null ? '–' : bestTimes([r[side]], micro)),
          },
        ]),
      ],
      rows,
    ),
  )}`;
}

/** In the first screen, for runs in which there is nothing else to compare. */
export function bestWords(groups: readonly Group[]): string[] {
  return groups.flatMap((group) =>
    sweepsOf(group).flatMap(({ name, rows }) => {
      const best = stretchesOf(rows, rows.some((r) => r.latency !== null) ? 'latency' : 'pipelined');
      const [first, last] = [best[0], best.at(-1)];
      if (first?.best[0] === undefined || last?.best[0] === undefined) return [];
      const large = best.length > 1 ? `, at ${formatBytes(last.lastBytes)} ${winnersText(last.best[0])}` : '';
      return [
        `Over ${name} the fastest choice at ${formatBytes(first.firstBytes)} is ${winnersText(first.best[0])}${large}.`,
      ];
    }),
  );
}

const fakeDetail = /, (fake|test double)\b/;

/** Runs on fakes of NCCL and CUDA, which older runs call test doubles. */
export function isFake({ record }: ReportedRun): boolean {
  return (
    record.plan.transports.some((t) => fakeDetail.test(t.detail)) ||
    record.launches.some((l) => l.ranks.some((r) => fakeDetail.test(r.detail)))
  );
}

/** What a mark on the device costs, ns; none where no rank measured it. Older runs call it after a gate. */
export function markNs(facts: Readonly<Record<string, string>>): number[] {
  const ns = Number(facts['hold.markNs'] ?? facts['gate.markNs']);
  return ns > 0 ? [ns] : [];
}

/** The paragraphs of the method that hold for GPUs only; nothing for other engines. */
export function deviceMethod(runs: readonly ReportedRun[]): Html {
  const mine = runs.filter((r) => r.record.plan.engine === 'nccl');
  if (mine.length === 0) return html``;
  const cells = mine.flatMap((r) => r.cells.filter(isOk));
  const facts = mine.flatMap((r) =>
    r.record.launches.flatMap((l) => l.ranks.map((rank) => rank.facts ?? {})),
  );
  const marks = facts.flatMap(markNs);
  const settings = joinWords([...new Set(mine.map((r) => settingsPhrase(r.record.plan.settings)))], 'or');
  const latencyBatches = cells.flatMap((c) => (c.isolated === null ? [] : [c.isolated.batch]));
  const batch =
    latencyBatches.length === 0 ? '' : ` There are ${batchPhrase(latencyBatches)} between two marks.`;
  const cost =
    marks.length === 0
      ? 'What the marks themselves cost is measured at the start of each rank and subtracted.'
      : `What the marks themselves cost (${formatTimeRange(marks, micro)}, measured at the start of each rank) is subtracted.`;
  return html`
<p><b>Latency on the GPUs.</b> All calls are held by a kernel (the hold kernel) that stops each GPU’s queue until every rank has queued its calls and a common instant has come. The first operation behind it aligns the ranks and is not counted. Then event marks stand between the operations; the time is the latest end over the ranks minus the latest start, over the number of operations between the two. ${cost}${batch} No launch by the host is in this figure.</p>
<p><b>Launch cost.</b> What the host needs to queue one call while the hold kernel runs: median per rank and launch, slowest rank. It is no part of the latency. In the pipelined interval the host queues while the GPUs work, so whichever is slower sets the pace: the launch at small sizes, the collective at large ones.</p>
<p><b>Buffers and calls.</b> ${settings}</p>
<p><b>Once per launch.</b> Making the communicator and the first call of each size (which may connect ranks) are figures of their own, under NCCL below, and in no other figure.</p>
${mine.some(isFake) ? html`<p><b>Fake GPUs.</b> In this report ${fakeGpus}.</p>` : ''}`;
}

function batchPhrase(batches: readonly number[]): string {
  const [low, high] = [Math.min(...batches), Math.max(...batches)];
  return low === high ? plural(low, 'operation') : `${low} to ${high} operations`;
}

/** The engine's words of a plan in sentences (native/engines/nccl/settings.h has their defaults). */
function settingsPhrase(s: Readonly<Record<string, string>>): string {
  const registrations: Record<string, string> = {
    none: 'Buffers are not registered with NCCL (nccl-tests -R 0).',
    local: 'Buffers are registered with each communicator (nccl-tests -R 1).',
    symmetric: 'Buffers are registered as symmetric windows (nccl-tests -R 2).',
  };
  return [
    s.cache === 'hot'
      ? 'All calls use the same place in the buffers, so that caches stay hot.'
      : 'Calls rotate through 256 MiB of buffers whatever the size, so that caches stay cold.',
    registrations[s.register ?? 'none'] ?? `Buffers are registered: ${s.register}.`,
    s.graph === '1'
      ? 'Pipelined calls are captured once and replayed as a CUDA graph (nccl-tests -G).'
      : 'Calls are launched one by one by the host; no CUDA graph is used.',
    Number(s.aggregate ?? 1) > 1 ? `${s.aggregate} calls form one group.` : '',
    s.blocking === '0' ? 'The communicator is non-blocking and polled.' : '',
    Number(s.split ?? 0) > 0 ? 'The communicator is split from one of all ranks.' : '',
    Number(s.misalign ?? 0) > 0
      ? `Buffers are ${plural(Number(s.misalign), 'element')} off their alignment.`
      : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}
