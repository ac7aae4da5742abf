import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { importedSentence } from '../imported.ts';
import { modelFindings } from '../models.ts';
import { launchesText, precisionText } from '../precision.ts';
import { resumedSentence, secondsTaken } from '../resumed.ts';
import type { Group, ReportedRun, Series } from '../series.ts';
import { groupTitle, isOk, sizesPhrase } from '../series.ts';
import { evidenceSentence } from '../summary.ts';
import {
  flagMeanings,
  formatBytes,
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
  /** Size, where it is about one cell: equal findings at several sizes become one line. */
  bytes?: number;
  kind: string;
  why: string;
}

function cellName(cell: CellRecord, several: string): string {
  const medium = cell.medium === 'emulated' ? ' (emulated)' : '';
  const member = cell.group === undefined ? '' : `, ${cell.group.name}`;
  return `${several}${groupTitle(cell)} over ${shortTransport(cell.transport)}${medium}${member}`;
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
      const what = cellName(cell, several);
      const bytes = cell.payloadBytes;
      if (cell.status !== 'ok') {
        found.push({ what, bytes, kind: cell.status, why: cell.reason });
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
          bytes,
          kind: 'wrong data',
          why:
            comparedElements === 0
              ? `${formatCount(wrongElements)} elements or more, as the program that measured found`
              : `${formatCount(wrongElements)} of ${formatCount(comparedElements)} compared elements${where}`,
        });
      }
      if (cell.evidence.verdict !== 'confirmed')
        found.push({ what, bytes, kind: `evidence ${cell.evidence.verdict}`, why: cell.evidence.reason });
      if (cell.flags.length > 0) {
        const reason = cell.isolated?.intervalReason ?? null;
        const why =
          cell.flags.map((f) => flagMeanings[f] ?? f).join('; ') +
          (reason === null ? '' : `; no interval: ${reason}`);
        found.push({ what, bytes, kind: `flag ${cell.flags.join(', ')}`, why });
      }
    }
    for (const s of plan.skipped) {
      found.push({
        what: `${several}${s.collective}, ${formatBytes(s.requestedBytes)}`,
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
    for (const { series, group, kind, why, sizes } of modelFindings(own))
      for (const bytes of sizes) found.push({ what: seriesName(group, series), bytes, kind, why });
    for (const w of run.warnings) found.push({ what: `${several}files`, kind: 'warning', why: w });
    return found;
  });
}

/** Equal findings of one series in one line that counts their sizes; the order of the first of each stays. */
function merged(all: readonly Finding[]): Finding[] {
  const lines = new Map<string, Finding & { sizes: number[] }>();
  for (const finding of all) {
    const key = [finding.what, finding.kind, finding.why].join('\0');
    const line = lines.get(key) ?? { ...finding, sizes: [] };
    if (finding.bytes !== undefined) line.sizes.push(finding.bytes);
    lines.set(key, line);
  }
  return [...lines.values()].map(({ sizes, ...finding }) => ({
    ...finding,
    what: sizes.length === 0 ? finding.what : `${finding.what}, ${sizeList(sizes)}`,
  }));
}

function sizeList(sizes: readonly number[]): string {
  return sizes.length <= 4 ? joinWords(sizes.map(formatBytes)) : sizesPhrase(sizes);
}

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
  const cells = runs.flatMap((r) => r.cells.filter(isOk));
  return html`<p><b>Bandwidth.</b> Algorithm bandwidth is message size over time. Bus bandwidth multiplies it by the share of the message each link must carry at best (${factors(cells)}), as nccl-tests does. 1 GB = 10⁹ bytes, 1 GiB = 2³⁰ bytes.</p>
`;
}

function ownMethod(runs: readonly ReportedRun[], groups: readonly Group[]): Html {
  const cells = runs.flatMap((r) => r.cells.filter(isOk));
  const plan = runs[0]?.record.plan;
  const clocks = joinWords([...new Set(cells.flatMap((c) => (c.isolated ? [c.isolated.method.clock] : [])))]);
  const batches = cells.flatMap((c) => (c.pipelined ? [c.pipelined.method.batch] : []));
  const samples = cells.flatMap((c) => (c.isolated ? [c.isolated.samples] : []));
  const launches = plan?.sampling.launches ?? 1;
  const algorithms = joinWords([...new Set(cells.map((c) => c.algorithm))]);
  const check = plan?.sampling.check ?? 0;
  const warmups = plural(plan?.sampling.warmup ?? 0, 'untimed operation');
  const onHost = runs.some((r) => r.record.plan.engine === 'cpu');
  return html`
${deviceMethod(runs)}
${onHost ? html`<p><b>Isolated latency.</b> The ranks agree on a start in the near future, spin until then and begin together. The time of one operation is the latest end over the ranks minus that common start${clocks === '' ? '' : ` (clock: ${clocks})`}. Operations that some rank began late are counted and not used. ${range(samples, 'samples per cell')}</p>` : ''}
<p><b>Pipelined interval.</b> Operations follow one another without waiting for a common start; a sample is elapsed time over the number of operations in it${batches.length === 0 ? '' : ` (${rangeText(batches)})`}. It is the figure that nccl-tests prints, and ${runs.some((r) => r.record.plan.engine === 'nccl') ? 'stands beside the latency in no chart but the one that tells the two apart' : 'never mixed with isolated latency in one chart'}.</p>
<p><b>Replication.</b> Each cell is measured in ${plan === undefined ? plural(launches, 'launch', 'launches') : launchesText(plan.sampling)} of all rank processes, each block after ${warmups}. The transports take turns in short blocks in random order (seed ${plan?.sampling.seed ?? 0}), so that drift meets all alike. No sample is dropped.${precisionText(plan)}</p>
${runs.map((r) => resumedText(r, runs.length > 1))}
<p><b>Intervals.</b> Every time is a median. ${launches > 1 ? 'Its 95 % interval is that between launches, computed from the logarithms of their medians.' : 'With one launch its 95 % interval is corrected for autocorrelation and holds for this launch only: another start may differ by more.'} Where there are too few samples there is no interval and the reason is given.</p>
${bandwidthText(runs)}<p><b>Verification.</b> ${check > 0 ? `Buffers carry data that differ by rank, index and iteration; outputs are poisoned before, and the first, the last and every ${check === 1 ? '' : `${ordinal(check)} `}timed result is compared element by element.` : 'Verification was switched off.'}</p>
<p><b>Evidence.</b> What the transport says it moved and what the network interfaces counted meanwhile are held against what the algorithm must move. Confirmed: they agree. Contradicted: the bytes went elsewhere. Unproven: the counters cannot tell. ${runs.some((r) => r.record.plan.engine === 'nccl') ? 'NCCL’s own log says by which paths it connected the ranks and which network it used. ' : ''}${runs.map((r) => evidenceText(r, runs.length > 1))}</p>
<p><b>Crossovers</b> are interpolated linearly in bytes between neighbouring sizes; the grey zone is where the intervals of the two do not tell them apart.${algorithms === '' ? '' : ` Algorithms used: ${algorithms}.`}</p>
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
  const names = run.record.plan.transports.map((t) => t.name);
  const text = evidenceSentence(run.cells, names).replace(/^evidence: /, '');
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

function factors(cells: readonly { collective: string; busFactor: number; ranks: number }[]): string {
  const seen = new Map(
    cells.map((c) => [
      `${c.collective} ${Number(c.busFactor.toPrecision(4))} at ${plural(c.ranks, 'rank')}`,
      true,
    ]),
  );
  return seen.size === 0 ? 'no cell was measured' : joinWords([...seen.keys()]);
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
