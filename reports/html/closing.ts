import {
  type CellRecord,
  engineRow,
  headlineNames,
  measuredOf,
  type RunRecord,
  whatOf,
} from '../../results/schema/index.ts';
import { importedSentence } from '../imported.ts';
import { modelFindings } from '../models.ts';
import { launchesText, precisionText } from '../precision.ts';
import { resumedSentence, secondsTaken } from '../resumed.ts';
import { derivedRows, figureRow, rowOf, type XWords, xOfPlan, xWords } from '../rows.ts';
import { type Group, isOk, type ReportedRun, type Series, titleIn, xIn, xPhrase } from '../series.ts';
import { evidenceSentence } from '../summary.ts';
import {
  flagMeanings,
  formatBytesAbout,
  formatCount,
  formatDuration,
  joinWords,
  plural,
  shortTransport,
} from '../wording.ts';
import { deviceMethod } from './device.ts';
import { factList, type Html, html, table } from './markup.ts';

interface Finding {
  what: string;
  /** Where it is about one cell: equal findings at several x become one line. */
  at?: { x: XWords; value: number };
  kind: string;
  why: string;
}

function cellName({ plan }: RunRecord, cell: CellRecord, several: string): string {
  const medium = cell.medium === 'emulated' ? ' (emulated)' : '';
  const member = cell.group === undefined ? '' : `, ${cell.group.name}`;
  return `${several}${titleIn(plan, cell)} over ${shortTransport(cell.transport)}${medium}${member}`;
}

/** As cellName(); the name of the series has the run already. */
const seriesName = (group: Group, series: Series): string =>
  `${group.title} over ${series.name}${series.medium === 'emulated' ? ' (emulated)' : ''}`;

/** Everything that failed, was skipped, left out, wrong or flagged; one line each. */
function findingsOf(runs: readonly ReportedRun[], groups: readonly Group[]): Finding[] {
  return runs.flatMap((run) => {
    const { plan, failures } = run.record;
    const several = runs.length > 1 ? `${run.record.id}: ` : '';
    const found: Finding[] = failures.map((f) => ({
      what: `${several}run`,
      kind: f.kind,
      why: [f.message, ...f.details, f.next === null ? '' : `next: ${f.next}`]
        .filter((t) => t !== '')
        .join('. '),
    }));
    for (const cell of run.cells) {
      const what = cellName(run.record, cell, several);
      const row = rowOf(plan, cell);
      const at = { x: xWords(row), value: xIn(plan, cell) };
      if (cell.status !== 'ok') {
        found.push({ what, at, kind: cell.status, why: cell.reason });
        continue;
      }
      const { wrongElements, comparedElements, first } = cell.verification;
      if (wrongElements > 0) {
        const where =
          first === null
            ? ''
            : `; first at rank ${first.rank}, iteration ${first.iteration}, index ${first.index}: wanted ${first.wanted}, got ${first.got}${first.note === '' ? '' : ` (${first.note})`}`;
        found.push({
          what,
          at,
          kind: 'wrong data',
          why:
            comparedElements === 0
              ? `${formatCount(wrongElements)} elements or more, as the program that measured found`
              : `${formatCount(wrongElements)} of ${formatCount(comparedElements)} compared elements${where}`,
        });
      }
      if (cell.evidence.verdict !== 'confirmed')
        found.push({ what, at, kind: `evidence ${cell.evidence.verdict}`, why: cell.evidence.reason });
      if (cell.flags.length > 0) {
        const names = cell.flags.map(({ name }) => name);
        const reason = measuredOf(cell, headlineNames(row)[0] ?? '')?.intervalReason ?? null;
        const why =
          names.map((name) => flagMeanings[name] ?? name).join('; ') +
          (reason === null ? '' : `; no interval: ${reason}`);
        found.push({ what, at, kind: `flag ${names.join(', ')}`, why });
      }
    }
    for (const s of plan.skipped) {
      found.push({
        what: `${several}${s.what}, ${xOfPlan(plan).text(s.requestedX)}`,
        kind: 'skipped',
        why: s.reason,
      });
    }
    const missing = plan.expected.cells - run.cells.length;
    if (missing > 0)
      found.push({
        what: `${several}${plural(missing, 'cell')}`,
        kind: 'not measured',
        why: `the run ended (${run.record.state}) before they were reached`,
      });
    for (const notice of plan.imported?.notices ?? [])
      found.push({ what: `${several}import`, kind: 'notice', why: notice });
    const own = groups.map((g) => ({ ...g, series: g.series.filter((s) => s.run === run.record) }));
    for (const { series, group, kind, why, xs } of modelFindings(own))
      for (const value of xs)
        found.push({ what: seriesName(group, series), at: { x: group.x, value }, kind, why });
    for (const w of run.warnings) found.push({ what: `${several}files`, kind: 'warning', why: w });
    return found;
  });
}

/** Equal findings of one series in one line that counts their x; the order of the first of each stays. */
function merged(all: readonly Finding[]): Finding[] {
  const lines = new Map<string, Finding & { xs: number[] }>();
  for (const finding of all) {
    const key = [finding.what, finding.kind, finding.why].join('\0');
    const line = lines.get(key) ?? { ...finding, xs: [] };
    if (finding.at !== undefined) line.xs.push(finding.at.value);
    lines.set(key, line);
  }
  return [...lines.values()].map(({ xs, ...finding }) => ({
    ...finding,
    what: finding.at === undefined ? finding.what : `${finding.what}, ${xList(finding.at.x, xs)}`,
  }));
}

const xList = (x: XWords, values: readonly number[]): string =>
  values.length <= 4 ? joinWords(values.map(x.text)) : xPhrase(x, values);

export function findings(runs: readonly ReportedRun[], groups: readonly Group[]): Html {
  const rows = merged(findingsOf(runs, groups));
  if (rows.length === 0) return html`<p>Nothing failed, nothing was skipped, no cell is flagged.</p>`;
  const shown = rows.slice(0, 200);
  const rest =
    rows.length > shown.length
      ? html`<p>${formatCount(rows.length - shown.length)} more are in cells.ndjson.</p>`
      : html``;
  return html`<div class="scroll"><table class="stack"><thead><tr><th scope="col">what</th><th scope="col">finding</th><th scope="col">why</th></tr></thead>
<tbody>${shown.map((r) => html`<tr><td>${r.what}</td><td>${r.kind}</td><td class="w">${r.why}</td></tr>\n`)}</tbody></table></div>${rest}`;
}

/** How the figures came about, in plain words; what differs between runs is read from the cells. */
export function method(all: readonly ReportedRun[], groups: readonly Group[]): Html {
  const imported = all.filter((r) => r.record.plan.imported !== undefined);
  const own = all.filter((r) => r.record.plan.imported === undefined);
  return html`${imported.map((r) => importedText(r, all.length > 1))}${own.length > 0 ? ownMethod(own, groups) : bandwidthText(all)}`;
}

/** What another program's figures are, and what it does not tell. */
function importedText(run: ReportedRun, several: boolean): Html {
  const { imported } = run.record.plan;
  if (imported === undefined) return html``;
  const name = several ? `Run ${run.record.id} was ` : 'The run was ';
  return html`<p><b>Imported.</b> ${name}${importedSentence(run)}. Nothing was measured here. A time is the ${imported.statistic}. Not told: ${imported.unknown.join(', ')}. Therefore there are no intervals, and no evidence of the way the data took. Converted: ${imported.conversions.join('; ')}. What was printed of each cell stands with it in cells.ndjson.</p>
`;
}

function bandwidthText(runs: readonly ReportedRun[]): Html {
  const rows = [
    ...new Map(runs.flatMap((r) => r.record.plan.workloads).map((row) => [row.name, row])).values(),
  ];
  const told = new Set(
    rows.flatMap((row) =>
      derivedRows(row).map(({ name, definition = '' }) =>
        definition.replace('{factors}', factors(runs, name)),
      ),
    ),
  );
  if (told.size === 0) return html``;
  return html`<p><b>Bandwidth.</b> ${[...told].join(' ')} 1 GB = 10⁹ bytes, 1 GiB = 2³⁰ bytes.</p>
`;
}

function ownMethod(runs: readonly ReportedRun[], groups: readonly Group[]): Html {
  const cells = runs.flatMap((r) => r.cells.filter(isOk));
  const plan = runs[0]?.record.plan;
  const clocks = joinWords([...new Set(cells.flatMap((c) => measuredOf(c, 'latency')?.method.clock ?? []))]);
  const batches = cells.flatMap((c) => measuredOf(c, 'pipelined')?.method.batch ?? []);
  const samples = cells.flatMap((c) => measuredOf(c, 'latency')?.samples ?? []);
  const launches = plan?.sampling.launches ?? 1;
  const algorithms = joinWords([...new Set(cells.map((c) => c.choice.algorithm))]);
  const check = plan?.sampling.check ?? 0;
  const warmups = plural(plan?.sampling.warmup ?? 0, 'untimed operation');
  const engines = runs.map((r) => engineRow(r.record.plan));
  const known = plan?.workloads.flatMap((row) => figureRow(row, 'pipelined')?.sameAs ?? [])[0];
  const isNever = !engines.some(({ onDevice }) => onDevice);
  const apart = `${known === undefined ? (isNever ? 'is ' : '') : `is the figure that ${known} prints, and `}${isNever ? 'never mixed with isolated latency in one chart' : 'stands beside the latency in no chart but the one that tells the two apart'}`;
  const x = plan === undefined ? undefined : xOfPlan(plan);
  return html`
${deviceMethod(runs)}
${engines.some((engine) => !engine.onDevice) ? html`<p><b>Isolated latency.</b> The ranks agree on a start in the near future, spin until then and begin together. The time of one operation is the latest end over the ranks minus that common start${clocks === '' ? '' : ` (clock: ${clocks})`}. Operations that some rank began late are counted and not used. ${range(samples, 'samples per cell')}</p>` : ''}
<p><b>Pipelined interval.</b> Operations follow one another without waiting for a common start; a sample is elapsed time over the number of operations in it${batches.length === 0 ? '' : ` (${rangeText(batches)})`}. It ${apart}.</p>
<p><b>Replication.</b> Each cell is measured in ${plan === undefined ? plural(launches, 'launch', 'launches') : launchesText(plan.sampling)} of all rank processes, each block after ${warmups}. The transports take turns in short blocks in random order (seed ${plan?.sampling.seed ?? 0}), so that drift meets all alike. No sample is dropped.${precisionText(plan)}</p>
${runs.map((r) => resumedText(r, runs.length > 1))}
<p><b>Intervals.</b> Every time is a median. ${launches > 1 ? 'Its 95 % interval is that between launches, computed from the logarithms of their medians.' : 'With one launch its 95 % interval is corrected for autocorrelation and holds for this launch only: another start may differ by more.'} Where there are too few samples there is no interval and the reason is given.</p>
${bandwidthText(runs)}<p><b>Verification.</b> ${check > 0 ? `Buffers carry data that differ by rank, index and iteration; outputs are poisoned before, and the first, the last and every ${check === 1 ? '' : `${ordinal(check)} `}timed result is compared element by element.` : 'Verification was switched off.'}</p>
<p><b>Evidence.</b> What the transport says it moved and what the network interfaces counted meanwhile are held against what the algorithm must move. Confirmed: they agree. Contradicted: the bytes went elsewhere. Unproven: the counters cannot tell. ${engines
    .filter(({ evidence }) => evidence === 'log')
    .slice(0, 1)
    .map(
      ({ title }) =>
        `${title}’s own log says by which paths it connected the ranks and which network it used. `,
    )}${runs.map((r) => evidenceText(r, runs.length > 1))}</p>
<p><b>Crossovers</b> are interpolated linearly in ${x?.unit === 'B' ? 'bytes' : `the ${x?.noun}`} between neighbouring ${x?.noun}s; the grey zone is where the intervals of the two do not tell them apart.${algorithms === '' ? '' : ` Algorithms used: ${algorithms}.`}</p>
${groups.some((g) => g.series.some((s) => s.medium === 'emulated')) ? html`<p><b>Emulated media.</b> Where a row says emulated, a software device stood in for the card: times and bandwidths are those of this machine’s memory and of the link model named, and say nothing about the real adapter.</p>` : ''}`;
}

/** Who goes on with a run measures whole cells, so that no figure mixes launches of two starts. */
function resumedText({ record }: ReportedRun, several: boolean): Html {
  const sentence = resumedSentence(record);
  if (sentence === '') return html``;
  const name = several ? `Run ${record.id}: ` : '';
  const differences = (record.resumed ?? []).flatMap((one) => one.differences);
  const other =
    differences.length === 0 ? '' : ` What was not as before, and was accepted: ${differences.join('; ')}.`;
  return html`<p><b>Resumed.</b> ${name}${sentence}. Cells with any block missing were measured anew with all their launches, by the same plan and seed; the blocks that an earlier start had measured of them are kept with the samples and not used.${other}</p>
`;
}

function evidenceText(run: ReportedRun, several: boolean): string {
  const text = evidenceSentence(run.cells, run.record.plan).replace(/^evidence: /, '');
  return text === '' ? '' : `${several ? `Run ${run.record.id}` : 'Here'}: ${text}. `;
}

function ordinal(n: number): string {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
}

function rangeText(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high
    ? `batches of ${formatCount(low)}`
    : `batches of ${formatCount(low)} to ${formatCount(high)}`;
}

function range(values: readonly number[], what: string): string {
  if (values.length === 0) return '';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high
    ? `There are ${formatCount(low)} ${what}.`
    : `There are ${formatCount(low)} to ${formatCount(high)} ${what}.`;
}

/** "allreduce 1 at 2 ranks": what a derived figure multiplies beside size and time. */
function factors(runs: readonly ReportedRun[], name: string): string {
  const seen = runs.flatMap(({ record: { plan }, cells }) =>
    cells.flatMap((cell) => {
      const factor = factorIn(cell, name);
      if (factor === undefined) return [];
      const what = whatOf(rowOf(plan, cell), cell.axes);
      return [`${what} ${Number(factor.toPrecision(4))} at ${plural(cell.ranks, 'rank')}`];
    }),
  );
  return seen.length === 0 ? 'no cell was measured' : joinWords([...new Set(seen)]);
}

/** Whatever figure it was derived from. */
function factorIn(cell: CellRecord, name: string): number | undefined {
  if (cell.status !== 'ok') return undefined;
  for (const figure of cell.figures)
    if (figure.kind === 'derived' && figure.name === name && figure.factor !== undefined)
      return figure.factor;
  return undefined;
}

export function machines(runs: readonly ReportedRun[]): Html {
  return html`${runs.map(
    ({ record }) => html`${runs.length > 1 ? html`<h3>Run ${record.id}</h3>` : ''}
${Object.entries(record.inventory).map(([name, i]) =>
  factList([
    ['node', name === i.hostname ? name : `${name} (${i.hostname})`],
    ['processor', `${i.cpuModel}, ${plural(i.cpuCount, 'core')}, ${plural(i.numaNodes, 'NUMA node')}`],
    ['memory', formatBytesAbout(i.memoryBytes)],
    [
      'system',
      `${i.os}, kernel ${i.kernel}, ${i.architecture}${i.virtualization === null ? '' : `, virtual machine (${i.virtualization})`}`,
    ],
    [
      'interfaces',
      i.interfaces
        .map(
          (n) =>
            `${n.name} (${n.state}, MTU ${n.mtu}${n.speedMbps === null ? '' : `, ${formatCount(n.speedMbps)} Mbit/s`})`,
        )
        .join(', '),
    ],
    ['written there', logLinks(record, name, runs.length === 1)],
  ]),
)}
${factList([
  ...record.plan.transports.map(
    (t) => [`transport ${shortTransport(t.name)}`, `${t.detail}, ${t.medium}`] as const,
  ),
  ...Object.entries(record.versions).map(([k, v]) => [k === 'node' ? 'Node.js' : k, v] as const),
  ...Object.entries(record.environment),
])}
${ranksTable(record)}`,
  )}`;
}

const mostLogs = 20;

/** Files with what agent and ranks of a host wrote; links where the report lies beside them. */
function logLinks({ logs = [] }: RunRecord, host: string, isBeside: boolean): Html {
  const mine = logs.filter((log) => log.host === host);
  const shown = mine.slice(0, mostLogs).map(({ file }, i) => {
    const name = html`<code>${file}</code>`;
    return html`${i === 0 ? '' : ', '}${isBeside ? html`<a href="${encodeURI(file)}">${name}</a>` : name}`;
  });
  const more = mine.length - shown.length;
  return html`${shown}${more > 0 ? ` and ${plural(more, 'more file', 'more files')} in logs/` : ''}`;
}

function ranksTable(record: RunRecord): Html {
  const rows = record.launches.flatMap((l) =>
    l.ranks.map((r) => ({
      ...r,
      launch: l.launch,
      setupNs: l.setupNs,
      over: record.plan.transports[l.transport]?.name ?? '',
      member: record.plan.groups?.members[l.group ?? -1]?.name ?? '',
    })),
  );
  if (rows.length === 0) return html``;
  type R = (typeof rows)[number];
  return html`<details><summary>What each rank said about itself</summary>${table(
    'Ranks of each launch',
    [
      { head: 'launch', number: true, cell: (r: R) => r.launch + 1 },
      { head: 'over', cell: (r: R) => shortTransport(r.over) },
      ...(record.plan.groups === undefined ? [] : [{ head: 'group', cell: (r: R) => r.member }]),
      { head: 'rank', number: true, cell: (r: R) => r.rank },
      { head: 'CPUs', cell: (r: R) => r.cpus || (r.cpu ?? '–') },
      ...(rows.some((r) => r.memory) ? [{ head: 'memory', cell: (r: R) => r.memory ?? '' }] : []),
      { head: 'medium', cell: (r: R) => r.medium },
      { head: 'device', cell: (r: R) => r.device },
      { head: 'detail', cell: (r: R) => r.detail },
    ],
    rows,
  )}</details>`;
}

export function reproduce(runs: readonly ReportedRun[]): Html {
  return html`${runs.map(({ record, dir }) => {
    const { plan } = record;
    if (plan.imported !== undefined) {
      return html`<pre>${plan.command.map(quoted).join(' ')}</pre>
<p>Run ${record.id} was imported from ${plan.imported.file.name} (${plan.imported.file.bytes} bytes, SHA-256 <code>${plan.imported.file.sha256}</code>) as ${plan.imported.format}.</p>`;
    }
    const took = record.endedAt === null ? '' : `, ${formatDuration(secondsTaken(record))}`;
    return html`<pre>${plan.command.map(quoted).join(' ')}</pre>
<p>Plan of run ${record.id}: ${plural(plan.points.length, 'point')} over ${plural(plan.transports.length, 'transport')}, ${plural(plan.sampling.launches, 'launch', 'launches')}, seed ${plan.sampling.seed}, deadline ${plan.sampling.timeoutS} s per block${took}. The plan, every raw sample and this report’s numbers are in <code>${dir.slice(dir.lastIndexOf('/') + 1)}</code>: <code>run.json</code> holds plan and machine, <code>cells.ndjson</code> one line per cell, <code>figures/</code> the charts as SVG and CSV. The Vega-Lite specification of each chart is inside this page as <code>application/json</code>.</p>`;
  })}`;
}

/** A word as a POSIX shell would need it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
