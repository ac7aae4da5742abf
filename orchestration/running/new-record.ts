import {
  type AxisData,
  dataOf,
  type Inventory,
  type RunPlan,
  type RunRecord,
} from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { newRunId } from '../../results/store/write.ts';
import { planningOf } from '../../suites/engines/index.ts';
import { version } from '../build.ts';

const several = (items: readonly string[], what: string) =>
  items.length <= 2 ? items.join(' and ') : `${items.length} ${what}`;

/**
 * Returns the title of a run: "allreduce float32 sum, 2 ranks, socket and sisci". If there are more than two operations, data
 * types, reductions or transports, their number replaces their names. The title of an imported run names the program instead of
 * transports.
 */
export function titleOf(plan: RunPlan): string {
  const rows = plan.points.map(({ workload, axes }) => ({ row: dataOf(workload, plan.workloads), axes }));
  const distinct = (head: (one: AxisData) => boolean, many: string) =>
    several(
      [
        ...new Set(
          rows.flatMap(({ row, axes }) =>
            row.axes.filter(head).flatMap(({ name }) => (axes[name] == null ? [] : [String(axes[name])])),
          ),
        ),
      ],
      many,
    );
  const [first] = rows;
  const named = distinct(({ role }) => role === 'what', 'operations');
  const what = [
    named === '' ? (first?.row.title ?? (plan.imported === undefined ? '' : 'calls without times')) : named,
    distinct(({ name }) => name === 'dtype', 'data types'),
    distinct(({ name }) => name === 'op', 'ops'),
  ].filter((words) => words !== '');
  const transports = several(
    plan.transports.map(({ name }) => name),
    'transports',
  );
  const ranks = `${plan.ranks} ${plan.ranks === 1 ? 'rank' : 'ranks'}`;
  if (plan.imported !== undefined)
    return `${what.join(' ')}, ${ranks}, imported from ${plan.imported.program}`;
  const { titlePrefix: engine } = planningOf(plan);
  const groups = plan.groups === undefined ? '' : ` in ${plan.groups.members.length} groups`;
  return `${what.join(' ')}, ${ranks}${groups}, ${engine}${transports}`;
}

/**
 * Returns the record (content of run.json) of a run that starts now, in state `running`. It is not stored yet.
 * @param inventories hardware description of each host, by host name
 * @param versions versions of libraries and drivers, by name; those of collbench and Node.js are added
 */
export function newRecord(
  plan: RunPlan,
  inventories: Record<string, Inventory>,
  versions: Record<string, string> = {},
): RunRecord {
  return {
    schemaVersion: 3,
    id: newRunId(),
    title: titleOf(plan),
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    plan,
    inventory: inventories,
    environment: recordedEnvironment(process.env),
    versions: { collbench: version(), node: process.versions.node, ...versions },
    launches: [],
    failures: [],
    summary: null,
  };
}

/**
 * Adds to the record the environment variables that the run sets for its ranks, next to the variables that are recorded for every
 * run. A resumed run sets them again. Neither the file nor the environment of this process is changed.
 */
export function setEnvironment(record: RunRecord, environment: Record<string, string>): void {
  const names = Object.keys(environment).sort();
  if (names.length === 0) return;
  Object.assign(record.environment, environment);
  record.environmentSet = names;
}

/**
 * Returns the environment variables that the run sets for its ranks, as setEnvironment() recorded them; {} if there
 * are none. Variables that are recorded for every run are not included.
 */
export const environmentSetBy = ({ environment, environmentSet = [] }: RunRecord): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => environmentSet.includes(name)));

export interface RunMarks {
  label: string | null;
  tag: Readonly<Record<string, string>>;
  note: string | null;
}

/** Sets the user's label, tags and note in the record; the file is not written. Null or no tags change nothing. */
export function setMarks(record: RunRecord, { label, tag, note }: RunMarks): void {
  if (label !== null) record.label = label;
  if (Object.keys(tag).length > 0) record.tags = { ...tag };
  if (note !== null) record.notes = [note];
}
