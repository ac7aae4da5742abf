import { addTo } from '../../results/collections.ts';
import { nameOfRun } from '../../results/compare/run.ts';
import {
  type EngineLibrary,
  engineRow,
  type LaunchRecord,
  type RunRecord,
  variableOfFact,
  variablesInFacts,
} from '../../results/schema/index.ts';
import { type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { xOfPlan } from '../rows.ts';
import { isOk, type ReportRun, xOfPoint } from '../series.ts';
import { fakeGpus, formatBytesAbout, formatTime, formatTimeRange, joinWords } from '../wording.ts';
import { isFake, markNs } from './device.ts';

/**
 * Returns the section about the libraries that engines load, such as NCCL: version, environment variables, and the time to start.
 * Null if no run's engine loads a library.
 */
export function librarySection(runs: readonly ReportRun[]): { title: string; body: DocumentBlock[] } | null {
  const mine = runs.flatMap((run) => {
    const { library, title } = engineRow(run.record.plan);
    return library === null ? [] : [{ run, library, title }];
  });
  if (mine.length === 0) return null;
  const body = mine.flatMap(({ run, library, title }): DocumentBlock[] => {
    const own: DocumentBlock[] = [
      ...(isFake(run) ? [{ kind: 'paragraph', text: `In this run ${fakeGpus}.`, isBad: true } as const] : []),
      versionList(run.record, library),
      environmentTable(run.record, title),
      launchTable(run, library),
    ];
    return runs.length > 1 ? [{ kind: 'section', title: `Run ${nameOfRun(run.record)}`, body: own }] : own;
  });
  return { title: joinWords([...new Set(mine.map(({ title }) => title))]), body };
}

function factsOf(record: RunRecord): Readonly<Record<string, string>>[] {
  return record.launches.flatMap((l) => l.ranks.flatMap((r) => (r.facts === undefined ? [] : [r.facts])));
}

/**
 * Returns the list of versions and other facts that ranks reported about their library. If ranks or launches reported different
 * values of a fact, all of them are listed. A sentence replaces the list if no rank reported facts.
 */
function versionList(record: RunRecord, library: EngineLibrary): DocumentBlock {
  const facts = factsOf(record);
  const all = (key: string) => joinWords([...new Set(facts.flatMap((f) => f[key] ?? []))]);
  const known = new Set([
    ...library.facts.map(({ fact }) => fact),
    library.initNs,
    library.memoryBytes,
    'gpu',
    'hold.markNs',
  ]);
  const others = [...new Set(facts.flatMap((f) => Object.keys(f)))].filter(
    (key) => !known.has(key) && variableOfFact(key) === null,
  );
  const gpus = new Map(
    record.launches.flatMap((l) => l.ranks.map((r) => [r.rank, r.facts?.gpu ?? r.device] as const)),
  );
  const marks = facts.flatMap(markNs);
  if (facts.length === 0)
    return {
      kind: 'paragraph',
      text: 'The ranks reported no library: no launch of this run got that far.',
    };
  return {
    kind: 'facts',
    facts: [
      ...library.facts.map(
        ({ title, fact, version = '' }) => [title, all(fact) || (record.versions[version] ?? '')] as const,
      ),
      ...[...gpus].sort(([a], [b]) => a - b).map(([rank, gpu]) => [`rank ${rank}`, gpu] as const),
      ['mark on the device', marks.length === 0 ? '' : formatTimeRange(marks)],
      ...others.map((key) => [key, all(key)] as const),
    ],
  };
}

/**
 * Returns a table of the environment variables that the engine set for its library, one row per variable and value; "|" separates
 * several values over one transport. A column names the transports over which it was set. The table has no rows if none was set.
 */
function environmentTable(record: RunRecord, title: string): DocumentTable {
  const { transports } = record.plan;
  const set = transports.map((_, t) => {
    const mine = record.launches.filter((l) => l.transport === t);
    const values = new Map<string, Set<string>>();
    for (const [name, value] of mine.flatMap((l) => l.ranks.flatMap((r) => variablesInFacts(r.facts ?? {}))))
      values.set(name, (values.get(name) ?? new Set()).add(value));
    return values;
  });
  const names = [...new Set(set.flatMap((values) => [...values.keys()]))].sort();
  const rows = names.flatMap((name) => {
    const byValue = new Map<string, string[]>();
    transports.forEach((t, i) => {
      const value = [...(set[i]?.get(name) ?? [])].join(' | ');
      if (value !== '') addTo(byValue, value, t.name);
    });
    return [...byValue].map(([value, over]) => ({ name, value, over }));
  });
  return tableOf<(typeof rows)[number]>(
    [
      { head: 'variable', cell: ({ name }) => name },
      { head: 'value', cell: ({ value }) => value },
      { head: 'over', cell: ({ over }) => (over.length === transports.length ? 'all' : over.join(', ')) },
    ],
    rows,
    { caption: `Environment that the engine set for ${title}` },
  );
}

/**
 * Returns a table of the time to start: for each launch the time to start processes and communicator, the GPU memory that the
 * communicator uses, and the slowest first call. No other result in the report includes these times.
 */
function launchTable(run: ReportRun, library: EngineLibrary): DocumentTable {
  const { launches, plan } = run.record;
  const x = xOfPlan(plan);
  const first = (l: LaunchRecord) => {
    const over = plan.transports[l.transport]?.name;
    const calls = run.cells
      .filter(isOk)
      .filter((c) => c.transport === over)
      .flatMap((c) => {
        const ns = c.firstCallNs[l.launch];
        return ns === undefined ? [] : [{ at: xOfPoint(plan, c), ns }];
      });
    return calls.reduce<{ at: number; ns: number } | null>(
      (a, b) => (a === null || b.ns > a.ns ? b : a),
      null,
    );
  };
  const init = (l: LaunchRecord) => {
    const ns = l.ranks.map((r) => Number(r.facts?.[library.initNs])).filter((one) => one > 0);
    return ns.length === 0 ? null : Math.max(...ns);
  };
  const memory = (l: LaunchRecord) => {
    const bytes = l.ranks.map((r) => Number(r.facts?.[library.memoryBytes ?? '']));
    const known = bytes.filter((b) => Number.isFinite(b));
    return known.length === 0 ? null : formatBytesAbout(Math.max(...known));
  };
  return tableOf<LaunchRecord>(
    [
      { head: 'launch', align: 'right', cell: ({ launch }) => String(launch + 1) },
      { head: 'over', cell: ({ transport }) => plan.transports[transport]?.name ?? '' },
      { head: 'start until ready', quantity: 'ns', cell: ({ setupNs }) => setupNs },
      { head: 'communicator', quantity: 'ns', cell: init },
      { head: 'GPU memory', align: 'right', cell: memory },
      {
        head: 'first call',
        align: 'right',
        cell: (launch) => {
          const call = first(launch);
          return call === null ? null : `${formatTime(call.ns)} (${x.text(call.at)})`;
        },
      },
    ],
    launches,
    {
      caption:
        'Cost of starting. Communicator: slowest rank. GPU memory: the most that creating it used on one GPU. First call: the slowest of all sizes, which may include connecting ranks.',
    },
  );
}
