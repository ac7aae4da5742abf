// Renders JUnit XML as Jenkins, GitLab and GitHub read it: <testsuites> of <testsuite> of <testcase>. failure = a regression or
// wrong data; error = did not run, or slower and not confirmed; skipped = no verdict.
import { xText, xTextOfId } from '../axis-text.ts';
import { seriesKeyOf } from '../derive/cells/cell-group.ts';
import { gateRecord, isAlarming, shownChange, suspectedRecord } from '../gate/conclude.ts';
import { nameOfSeries } from '../history/series-name.ts';
import { evidenceText, intervalText, unconfirmedText } from '../judge/verdict-text.ts';
import { escapeXml } from '../markup-text.ts';
import {
  allMeasuredFigures,
  type CellRecord,
  dataOf,
  type GateCell,
  type GateGroup,
  type GateResult,
  type GateSequence,
  type OkCell,
  type RunRecord,
  type SuiteRecord,
  trialOf,
} from '../schema/index.ts';
import { durationText, formatPercent } from '../units.ts';

interface JunitCase {
  classname: string;
  name: string;
  outcome: 'passed' | 'failure' | 'error' | 'skipped';
  /**
   * Kind of the problem, such as "wrong-data"; `message` is a sentence about the problem. Both are absent if the case passed;
   * `type` may also be absent if it was skipped.
   */
  type?: string;
  message?: string;
  /** Measured times, or the comparison of candidate and reference, as text for readers. */
  output?: string;
}

interface JunitSuite {
  name: string;
  /** Start time of the run or suite, ISO 8601. */
  timestamp: string;
  timeS: number | null;
  cases: JunitCase[];
}

function documentOf({ name, timestamp, timeS, cases }: JunitSuite): string {
  const count = (outcome: JunitCase['outcome']): number =>
    cases.filter((one) => one.outcome === outcome).length;
  const counts = {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: timeS === null ? null : timeS.toFixed(3),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'collbench', ...counts })}>`,
    // Readers of this format expect no time zone: the time is UTC.
    `<testsuite${attributes({ name, timestamp: timestamp.slice(0, 19), ...counts })}>`,
    ...cases.map(caseText),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText({ classname, name, outcome, type, message, output }: JunitCase): string {
  const start = `<testcase${attributes({ classname, name })}`;
  const told = { type: type ?? null, message: message ?? null };
  const ending =
    outcome === 'passed'
      ? ''
      : `<${outcome}${attributes(outcome === 'skipped' ? { message: told.message } : told)}/>`;
  const said = output === undefined ? '' : `<system-out>${escapeXml(output)}</system-out>`;
  return ending + said === '' ? `${start}/>` : `${start}>${ending}${said}</testcase>`;
}

const seconds = ({ startedAt, endedAt }: { startedAt: string; endedAt: string | null }): number | null =>
  endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

/**
 * Returns a run as JUnit XML: each configuration is a test case, and so is each failure of the run. Outcome `failure`: wrong data,
 * or evidence that contradicts the transport. Outcome `error`: configurations that failed or were aborted, and all other failures
 * of the run. Outcome `skipped`: skipped configurations.
 */
export function runToJunit(record: RunRecord, cells: readonly CellRecord[]): string {
  const failures = record.failures.map(
    ({ kind, message, details }): JunitCase => ({
      classname: 'run',
      name: kind,
      outcome: kind === 'wrong-data' || kind === 'contradicted' ? 'failure' : 'error',
      type: kind,
      message,
      ...(details.length === 0 ? {} : { output: details.join('\n') }),
    }),
  );
  const { id, title, startedAt } = record;
  return documentOf({
    name: `${title} (${id})`,
    timestamp: startedAt,
    timeS: seconds(record),
    cases: [...cells.map(cellCase), ...failures],
  });
}

function cellCase(cell: CellRecord): JunitCase {
  const place = cell.group === undefined ? '' : `, ${cell.group.name}`;
  const named = {
    classname: nameOfSeries(seriesKeyOf(cell)).title,
    name: `${xText(cell)}${place}`,
  };
  if (cell.status === 'skipped') return { ...named, outcome: 'skipped', message: cell.reason };
  if (cell.status !== 'ok') return { ...named, outcome: 'error', type: cell.status, message: cell.reason };
  const output = figuresText(cell);
  const { wrongElements, comparedElements } = cell.verification;
  if (wrongElements > 0) {
    const message = `wrong data: ${wrongElements} of ${comparedElements} elements`;
    return { ...named, outcome: 'failure', type: 'wrong-data', message, output };
  }
  if (cell.evidence.verdict === 'contradicted')
    return { ...named, outcome: 'failure', type: 'contradicted', message: cell.evidence.reason, output };
  return { ...named, outcome: 'passed', output };
}

function figuresText(cell: OkCell): string {
  const times = allMeasuredFigures(cell).map(({ name, interval, value }) => {
    const ends = interval === null ? '' : ` [${durationText(interval.low)}, ${durationText(interval.high)}]`;
    return `${trialOf(dataOf(cell.workload), name)} ${durationText(value)}${ends}`;
  });
  const flags = cell.flags.map(({ name }) => name);
  return [...times, ...(flags.length === 0 ? [] : [`flags: ${flags.join(' ')}`])].join('; ');
}

/**
 * Returns a suite as JUnit XML. With a gate, the test cases are the gate's verdict, each size range, single sizes that are slower
 * (also if not confirmed), and failures; otherwise the suite's entries.
 */
export function suiteToJunit(suite: SuiteRecord): string {
  const { gate, entries } = suite;
  const cases = gate === null ? entries.map(entryCase) : gateCases(gate);
  const { title, id, startedAt } = suite;
  return documentOf({ name: `${title} (${id})`, timestamp: startedAt, timeS: seconds(suite), cases });
}

function entryCase({ name, status, reason, optional, leftOut }: SuiteRecord['entries'][number]): JunitCase {
  const named = { classname: 'suite', name };
  const [without] = optional ? [] : leftOut;
  if (status === 'measured' && without !== undefined) {
    const message = `without ${without.transport}: ${without.reason}`;
    return { ...named, outcome: 'error', type: 'left-out', message };
  }
  if (status === 'measured') return { ...named, outcome: 'passed' };
  const isSkipped = status === 'not-needed' || (status === 'cannot-run' && optional);
  const outcome = isSkipped ? 'skipped' : 'error';
  return { ...named, outcome, type: status, message: reason ?? status };
}

function gateCases(gate: GateResult): JunitCase[] {
  const failures = gate.failures.map(
    ({ kind, entry, cell, sentence }): JunitCase => ({
      classname: entry,
      name: cell ?? kind,
      outcome: kind === 'wrong-data' || kind === 'contradicted' ? 'failure' : 'error',
      type: kind,
      message: sentence,
    }),
  );
  // Unchanged single sizes are left out, since the size ranges that contain them already have a case.
  const cells = gate.cells.filter((cell) => cell.verdict === 'slower' || isAlarming(cell));
  return [
    { classname: 'gate', name: gate.suite.name, ...verdictOf(gate) },
    ...gate.groups.map((group) => judgedCase(group, group.title)),
    ...cells.map((cell) => judgedCase(cell, `${cell.title}, ${xTextOfId(cell.id, cell.x)}`)),
    ...failures,
  ];
}

const gateOutcomes = {
  regression: 'failure',
  unconfirmed: 'error',
  failed: 'error',
  'no-verdict': 'skipped',
} as const;

function verdictOf({
  verdict,
  sentence,
  advice,
  notes,
}: GateResult): Pick<JunitCase, 'outcome' | 'type' | 'message' | 'output'> {
  const output = [sentence, ...(notes ?? []), ...advice].join('\n');
  if (verdict === 'pass') return { outcome: 'passed', output };
  return {
    outcome: gateOutcomes[verdict],
    type: verdict,
    message: sentence,
    output,
  };
}

function judgedCase(judged: GateGroup | GateCell, name: string): JunitCase {
  const { entry, verdict, change, confirmation } = judged;
  const textOf = (one: GateGroup['change']): string =>
    `${intervalText({ ...one, low: one.lowRatio, high: one.highRatio })} time, ${one.launches.tonight} launches`;
  const record = gateRecord(judged);
  const output = [
    textOf(change),
    ...(confirmation === null ? [] : [`measured again: ${textOf(confirmation)}`]),
    ...('sequence' in judged && judged.sequence !== undefined ? [pairsText(judged.sequence)] : []),
  ].join('\n');
  const named = { classname: entry, name, output };
  if (verdict === 'slower')
    return { ...named, outcome: 'failure', type: verdict, message: `slower: ${textOf(shownChange(judged))}` };
  if (verdict === 'unconfirmed') {
    const outcome = isAlarming(judged) ? 'error' : 'skipped';
    return { ...named, outcome, type: verdict, message: unconfirmedText(suspectedRecord(judged)) };
  }
  if (verdict === 'unclear') {
    const why = record.reason ?? 'the run was too noisy to detect the change size that the suite requires';
    return { ...named, outcome: 'skipped', message: `no verdict: ${intervalText(record)} time, ${why}` };
  }
  return { ...named, outcome: 'passed' };
}

/**
 * Returns a text about the judgement on a size range whose launches were measured in pairs: number of pairs, e-values (strength of
 * evidence) after the last pair, and the smallest margin for the verdict "same" that the allowed number of pairs can reach.
 */
function pairsText({ looks, maxPairs, reachableMargin }: GateSequence): string {
  const { slower = 1, faster = 1, same = 1 } = looks.at(-1) ?? {};
  const values = Object.entries({ slower, faster, same }).map(
    ([name, value]) => `${name} ${evidenceText(value)}`,
  );
  const reach =
    reachableMargin === null ? '' : `; "same" within ${formatPercent(reachableMargin)} is in reach`;
  return `${looks.length} of at most ${maxPairs} pairs of launches; e-values: ${values.join(', ')}${reach}`;
}

/** Returns the attributes as XML text, in order: ` name="a" time="0.5"`. Attributes whose value is null are left out. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(String(value))}"`))
    .join('');
}
