// The HTML report of a run of host pairs, or of a search for a slow host: first the verdict, then the heatmaps.
import { isClean, membersPhrase, type PairsOverview, pairsOverview } from '../../results/derive/index.ts';
import { type RunRecord, whatOf } from '../../results/schema/index.ts';
import { heatmap, rings } from '../charts/index.ts';
import { type DocumentBlock, type DocumentTable, namedParagraph, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { pairsSentences, verificationSentences } from '../pairs.ts';
import { workloadRowOf } from '../rows.ts';
import { type ReportRun, xTextOfPoint } from '../series.ts';
import { plural, sentence, shortTransport, transportLabel, withStop } from '../wording.ts';
import type { TitledPage } from './figure.ts';
import { findings } from './findings.ts';
import { byline } from './first-screen.ts';
import { machines, reproduceSection } from './machine-section.ts';
import { html, type SafeHtml } from './markup.ts';
import { contents, drawer, type PageSection } from './sections.ts';

/**
 * Returns the report page of a run that measured all pairs of hosts, or searched for a slow host.
 * @param run run whose plan has `pairs`
 */
export async function pairsPage(run: ReportRun): Promise<TitledPage> {
  const { record, cells } = run;
  const { plan, summary } = record;
  const pairs = plan.pairs;
  const members = membersPhrase(pairs?.names ?? [], plan.hosts.length);
  const over = plan.transports.map(({ name }) => shortTransport(name)).join(' and ');
  const isSearch = pairs?.bisect !== undefined;
  const title = `${isSearch ? 'Search among' : 'All pairs of'} ${members} over ${over}`;
  const { draw, fill } = drawer();
  let tables = 0;
  const overviews = isSearch ? [] : pairsOverview(plan, cells);
  const [verdict, ...runs] = summary?.sentences ?? ['the run did not end'];
  const told = isSearch ? [verdict ?? ''] : pairsSentences(overviews);
  const isBad = isSearch ? record.exitCode !== 0 : !overviews.every(isClean);
  // A sentence that starts with a host's name keeps the case of its first letter.
  const isName = (text: string) => (pairs?.names ?? []).some((name) => text.startsWith(name));
  const squares: SafeHtml[] = [];
  const grown: SafeHtml[] = [];
  for (const one of overviews) {
    const isOnly = overviews.length === 1;
    squares.push(draw(heatmap(one, 'bandwidth', isOnly)), draw(heatmap(one, 'latency', isOnly)));
    grown.push(draw(rings(one, isOnly)));
  }
  const sections: PageSection[] = [
    ...(isSearch
      ? [
          {
            id: 'runs',
            title: 'The runs',
            body: html`<ol>${runs.map((text) => html`<li>${text}</li>`)}</ol>`,
          },
        ]
      : [
          {
            id: 'hosts',
            title: 'Each with its partners',
            body: pageMarkup(overviews.map(memberTable), { next: () => ++tables }),
          },
          { id: 'rings', title: 'The growing ring', body: ringText(grown) },
        ]),
    { id: 'findings', title: 'Flags and failures', body: pageMarkup(findings([run], [])) },
    { id: 'method', title: 'Method', body: pageMarkup(method(record)) },
    {
      id: 'machine',
      title: 'Hardware and software',
      body: folded(pageMarkup(machines([run])), plan.hosts.length),
    },
    { id: 'reproduce', title: 'How to reproduce', body: pageMarkup(reproduceSection([run])) },
  ];
  const sound = isSearch ? [] : verificationSentences(plan, cells);
  const body = html`<main>
<h1>${title}</h1>
<p class="byline">${byline([run])}</p>
<div class="${isBad ? 'warn' : 'lead'}">${told.map((text) => html`<p>${isName(text) ? withStop(text) : sentence(text)}</p>`)}</div>
<div class="lead"><p>${sound.map(sentence).join(' ')}</p>${emulated(plan.transports)}</div>
${squares}
${contents(sections)}
</main>`;
  return { title, ...(await fill(body)) };
}

function emulated(transports: RunRecord['plan']['transports']): SafeHtml {
  const some = transports.filter(({ medium }) => medium === 'emulated').map(transportLabel);
  return some.length === 0 ? html`` : html`<p>Emulated: ${some.join(', ')}.</p>`;
}

const ringText = (grown: readonly SafeHtml[]): SafeHtml =>
  grown.every(({ text }) => text === '')
    ? html`<p>No ring was measured: ranks of one machine share its memory, and a ring slows down by its size alone.</p>`
    : html`${grown}`;

/**
 * Returns a table with one row per host: how many of its pairs have a result, their median bandwidth and median latency (of two
 * middle ones the lower value), the pair with the lowest bandwidth, and whether the host stands out.
 */
function memberTable(one: PairsOverview): DocumentTable {
  const rows = one.names.map((name) => {
    const mine = one.pairs.filter(({ a, b }) => a === name || b === name);
    const ran = mine.filter(({ GBps }) => GBps !== null);
    const slowest = ran.toSorted((x, y) => (x.GBps ?? 0) - (y.GBps ?? 0));
    const late = ran.toSorted((x, y) => (x.latencyNs ?? 0) - (y.latencyNs ?? 0));
    const middle = Math.floor((ran.length - 1) / 2);
    const isFound = one.findings.some(({ kind, names }) => kind === 'host' && names[0] === name);
    return { name, mine, ran, slowest, typical: slowest[middle], late: late[middle], isFound };
  });
  type Row = (typeof rows)[number];
  return tableOf<Row>(
    [
      { head: 'name', cell: ({ name }) => name },
      { head: 'pairs', align: 'right', cell: ({ ran, mine }) => `${ran.length} of ${mine.length}` },
      { head: 'typical', quantity: 'GB/s', cell: ({ typical }) => typical?.GBps ?? null },
      { head: 'slowest', quantity: 'GB/s', cell: ({ slowest: [worst] }) => worst?.GBps ?? null },
      {
        head: 'with',
        cell: ({ name, slowest: [worst] }) => (worst?.a === name ? worst.b : (worst?.a ?? null)),
      },
      { head: 'latency', quantity: 'ns', cell: ({ late }) => late?.latencyNs ?? null },
      { head: '', cell: ({ isFound }) => (isFound ? 'stands out' : '') },
    ],
    rows,
    {
      title: `Each over ${shortTransport(one.transport)} with its partners.`,
      caption: 'Typical is the median over partners.',
    },
    ({ isFound }) => ({ isBad: isFound }),
  );
}

function method({ plan }: RunRecord): DocumentBlock[] {
  const [small, large = small] = plan.points;
  const what = small === undefined ? '' : whatOf(workloadRowOf(plan, small), small.axes);
  const [smallText, largeText] = [small, large].map((point) =>
    point === undefined ? '' : xTextOfPoint(plan, point),
  );
  const verified = plan.sampling.check > 0 ? 'Data were verified in each.' : 'Data were not verified.';
  if (plan.pairs?.bisect !== undefined) {
    return [
      {
        kind: 'paragraph',
        text: `Runs of ${what} with ${smallText} over fewer and fewer hosts, each in a launch of its own; a run is bad if “${plan.pairs.bisect}” holds, it fails or has wrong data. A run that is not bad is repeated once before it counts. What follows from earlier runs is not measured again. ${verified}`,
      },
    ];
  }
  const again = plan.pairs?.sets.filter(({ isAgain }) => isAgain === true).length ?? 0;
  const sides = plan.pairs?.isConcurrent
    ? 'In a round no host occurs twice and its pairs run at the same time, so they share switches and links: a pair that is slow here may be fast alone (--one-at-a-time).'
    : 'One pair measured at a time, with no other traffic at the same time.';
  return [
    namedParagraph(
      'Pairs',
      `${plural(plan.pairs?.sets.filter(({ kind, isAgain }) => kind === 'pair' && isAgain !== true).length ?? 0, 'pair')} by the circle method of tournaments. ${sides} Each is one launch: ${what} of two, whose latency is the median of isolated operations with ${smallText} and whose bandwidth is that of operations back to back with ${largeText}, counted once per direction. ${verified}`,
    ),
    namedParagraph(
      'Outliers',
      `Median and median absolute deviation of log times over hosts, then over what is left of each pair when its hosts are taken off; from a modified z-score of 3.5 (Iglewicz and Hoaglin 1993), raised for few values and for many comparisons, and from 10 % in bandwidth or half as much again in latency, which has to be slow in its fastest twentieth, too. An outlier was measured up to twice more, and its best measurement counts: a broken part is slow every time.${again === 0 ? '' : ` Here that were ${plural(again, 'measurement')}.`}`,
    ),
    namedParagraph(
      'Ring',
      'The same message around the first 2, 3, ... hosts, one ring at a time. It drops where the medians before and after differ most, by 20 % at least and without overlap; an addition is named when it alone causes most of it.',
    ),
  ];
}

/** Maximum number of hosts whose hardware the page always shows; for more hosts it is folded. */
const fewMachines = 4;

const folded = (body: SafeHtml, hosts: number): SafeHtml =>
  hosts <= fewMachines
    ? body
    : html`<details><summary>All ${plural(hosts, 'machine')}</summary>${body}</details>`;
