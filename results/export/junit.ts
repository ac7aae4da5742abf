// JUnit XML as Jenkins, GitLab and GitHub's reporters read it: <testsuites> of <testsuite> of <testcase>, with failure (a
// verdict), error (it did not come to one) and skipped.
import { xText, xTextOfId } from '../axis-text.ts';
import { seriesKeyOf } from '../derive/cell-group.ts';
import { nameOfSeries } from '../history/series-name.ts';
import {
  allMeasured,
  type CellRecord,
  dataOf,
  type GateCell,
  type GateGroup,
  type GateResult,
  type OkCell,
  type RunRecord,
  type SuiteRecord,
  trialOf,
} from '../schema/index.ts';
import { durationText } from '../units.ts';
import { attributes, xmlText } from './xml.ts';

interface Case {
  classname: string;
  name: string;
  outcome: 'passed' | 'failure' | 'error' | 'skipped';
  /** Type and one sentence, of what did not pass. */
  type?: string;
  message?: string;
  /** For people: figures. */
  output?: string;
}

interface Suite {
  name: string;
  /** ISO 8601. */
  timestamp: string;
  timeS: number | null;
  cases: Case[];
}

function documentOf({ name, timestamp, timeS, cases }: Suite): string {
  const count = (outcome: Case['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
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
    // Readers of this format want no zone: it is UTC.
    `<testsuite${attributes({ name, timestamp: timestamp.slice(0, 19), ...counts })}>`,
    ...cases.map(caseText),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText({ classname, name, outcome, type, message, output }: Case): string {
  const start = `<testcase${attributes({ classname, name })}`;
  const told = { type: type ?? null, message: message ?? null };
  const ending =
    outcome === 'passed'
      ? ''
      : `<${outcome}${attributes(outcome === 'skipped' ? { message: told.message } : told)}/>`;
  const said = output === undefined ? '' : `<system-out>${xmlText(output)}</system-out>`;
  return ending + said === '' ? `${start}/>` : `${start}>${ending}${said}</testcase>`;
}

const seconds = ({ startedAt, endedAt }: { startedAt: string; endedAt: string | null }): number | null =>
  endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

/** A run: each cell a case. Failed are wrong data and a contradicted transport; an error is what did not run. */
export function runToJunit(record: RunRecord, cells: readonly CellRecord[]): string {
  const failures = record.failures.map(
    ({ kind, message, details }): Case => ({
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

function cellCase(cell: CellRecord): Case {
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
  const times = allMeasured(cell).map(({ name, interval, value }) => {
    const ends = interval === null ? '' : ` [${durationText(interval.low)}, ${durationText(interval.high)}]`;
    return `${trialOf(dataOf(cell.workload), name)} ${durationText(value)}${ends}`;
  });
  const flags = cell.flags.map(({ name }) => name);
  return [...times, ...(flags.length === 0 ? [] : [`flags: ${flags.join(' ')}`])].join('; ');
}

/** A suite: the groups of its gate and what is wrong whatever the times say; without a gate its entries. */
export function suiteToJunit(suite: SuiteRecord): string {
  const { gate, entries } = suite;
  const cases = gate === null ? entries.map(entryCase) : gateCases(gate);
  const { title, id, startedAt } = suite;
  return documentOf({ name: `${title} (${id})`, timestamp: startedAt, timeS: seconds(suite), cases });
}

function entryCase({ name, status, reason, optional, leftOut }: SuiteRecord['entries'][number]): Case {
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

function gateCases(gate: GateResult): Case[] {
  const failures = gate.failures.map(
    ({ kind, entry, cell, sentence }): Case => ({
      classname: entry,
      name: cell ?? kind,
      outcome: kind === 'wrong-data' || kind === 'contradicted' ? 'failure' : 'error',
      type: kind,
      message: sentence,
    }),
  );
  // Of single sizes only those that changed: they repeat what their groups say.
  const cells = gate.cells.filter(({ verdict }) => verdict === 'slower' || verdict === 'suspected');
  return [
    { classname: 'gate', name: gate.suite.name, ...verdictOf(gate) },
    ...gate.groups.map((group) => judgedCase(group, group.title)),
    ...cells.map((cell) => judgedCase(cell, `${cell.title}, ${xTextOfId(cell.id, cell.x)}`)),
    ...failures,
  ];
}

function verdictOf({
  verdict,
  sentence,
  advice,
}: GateResult): Pick<Case, 'outcome' | 'type' | 'message' | 'output'> {
  const output = [sentence, ...advice].join('\n');
  if (verdict === 'pass') return { outcome: 'passed', output };
  return {
    outcome: verdict === 'regression' ? 'failure' : 'error',
    type: verdict,
    message: sentence,
    output,
  };
}

function judgedCase({ entry, verdict, change, confirmation }: GateGroup | GateCell, name: string): Case {
  const ofChange = ({ ratio, lowRatio, highRatio }: GateGroup['change']): string => {
    const ends =
      lowRatio === null || highRatio === null ? '' : ` [${lowRatio.toFixed(3)}, ${highRatio.toFixed(3)}]`;
    return `time by time of the reference ${ratio.toFixed(3)}${ends}`;
  };
  const output = [
    ofChange(change),
    ...(confirmation === null ? [] : [`again: ${ofChange(confirmation)}`]),
  ].join('\n');
  const named = { classname: entry, name, output };
  if (verdict === 'slower' || verdict === 'suspected')
    return {
      ...named,
      outcome: 'failure',
      type: verdict,
      message: `${verdict}: ${ofChange(confirmation ?? change)}`,
    };
  if (verdict === 'unclear') {
    const message = 'a change as large as the suite must see would have stayed unseen';
    return { ...named, outcome: 'error', type: verdict, message };
  }
  return { ...named, outcome: 'passed' };
}
