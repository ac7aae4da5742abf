// Renders a run or a suite as OpenMetrics text (openmetrics.io, 1.0), which the textfile collector of Prometheus' node exporter
// also reads. The text has gauges only and no timestamps, because the collector rejects these.
import {
  allMeasuredFigures,
  type CellRecord,
  dataOf,
  derivedOf,
  type FigureUnit,
  type MeasuredFigure,
  type RunRecord,
  type SuiteRecord,
  trialOf,
} from '../schema/index.ts';

type MetricLabels = Readonly<Record<string, string | number>>;

interface MetricSample {
  labels: MetricLabels;
  value: number;
}

interface MetricFamily {
  name: string;
  /** Unit, which is also the last part of the metric's name; "" for a number without unit. */
  unit: string;
  help: string;
  samples: MetricSample[];
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
/** Replaces control characters, and line breaks other than \n, by blanks, because some readers would end the line there. */
const oneLine = (text: string): string => text.replaceAll(/(?!\n)\p{Cc}|[\u2028\u2029]/gu, ' ');

const labelsText = (labels: MetricLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(oneLine(String(value)))}"`)
    .join(',');

function familyText({ name, unit, help, samples }: MetricFamily): string {
  if (samples.length === 0) return '';
  const lines = [
    `# TYPE ${name} gauge`,
    ...(unit === '' ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samples.map(({ labels, value }) => `${name}{${labelsText(labels)}} ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the labels that identify a configuration (values of the axes such as collective and size, ranks, transport ...); they are
 * equal in all runs that measure it.
 */
function labelsOf({
  workload,
  axes,
  ranks,
  nodes,
  engine,
  transport,
  medium,
  group,
}: CellRecord): MetricLabels {
  const ofAxes = dataOf(workload).axes.map(({ name, column }): [string, string | number] => {
    const value = axes[name] ?? '';
    return [column.replace(/^payload_/, ''), typeof value === 'boolean' ? String(value) : value];
  });
  return {
    ...Object.fromEntries(ofAxes),
    ranks,
    nodes,
    engine,
    transport,
    medium: medium === 'unknown' ? '' : medium,
    ...(group === undefined ? {} : { group: group.name }),
  };
}

const unitNames: Partial<Record<FigureUnit, { name: string; factor: number }>> = {
  'GB/s': { name: 'bytes_per_second', factor: 1e9 },
  '1/s': { name: 'per_second', factor: 1 },
};

/**
 * Returns one metric for each quantity that is computed from a measured time, for example
 * "collbench_bus_bandwidth_bytes_per_second". Its help text is the quantity's formula; left out are quantities without a formula,
 * and those in another unit than GB/s or 1/s.
 * @param timed measured times of all configurations; each gives one sample of a metric if the quantity is computed from it
 */
function derivedFamilies(cells: readonly CellRecord[], timed: readonly TimeMetric[]): MetricFamily[] {
  const rows = [...new Set(cells.map(({ workload }) => dataOf(workload)))];
  const families = rows.flatMap(({ figures }) =>
    figures.flatMap(({ name, title, unit, formula }): MetricFamily[] => {
      const as = unitNames[unit];
      if (formula === undefined || as === undefined) return [];
      const samples = timed.flatMap(({ cell, labels, figure }) => {
        const found = derivedOf(cell, name, figure.name);
        return found === null ? [] : [{ labels, value: found.value * as.factor }];
      });
      const family = `collbench_${title.replaceAll(/\W+/g, '_')}_${as.name}`;
      return [{ name: family, unit: as.name, help: formula, samples }];
    }),
  );
  // An imported run and a measured one have metrics of equal names; each name is written once.
  const names = [...new Set(families.map(({ name }) => name))];
  return names.flatMap((name) => families.find((family) => family.name === name) ?? []);
}

/** A measured time of one configuration, with the labels of its OpenMetrics samples. */
interface TimeMetric {
  cell: CellRecord;
  labels: MetricLabels;
  figure: MeasuredFigure;
}

/**
 * Returns a run as OpenMetrics text. For each configuration: times, bandwidths, whether it was measured, and number of wrong
 * elements. For the run: exit code and end time.
 */
export function runToOpenMetrics(record: RunRecord, cells: readonly CellRecord[]): string {
  return textOf([
    ...cellFamilies(cells.map((cell) => ({ cell, labels: labelsOf(cell) }))),
    ...endFamilies('run', { run: record.id, title: record.title, state: record.state }, record),
  ]);
}

/**
 * Returns a suite as OpenMetrics text, as runToOpenMetrics() does for a run. Samples of configurations also have the labels `suite`
 * and `entry`.
 * @param entries results by the name of the suite's entry (one of its measurements)
 */
export function suiteToOpenMetrics(
  record: SuiteRecord,
  entries: ReadonlyMap<string, { cells: readonly CellRecord[] }>,
): string {
  const { id, name: suite, state } = record;
  const cells = [...entries].flatMap(([entry, run]) =>
    run.cells.map((cell) => ({ cell, labels: { suite, entry, ...labelsOf(cell) } })),
  );
  return textOf([...cellFamilies(cells), ...endFamilies('suite', { suite, id, state }, record)]);
}

const textOf = (families: readonly MetricFamily[]): string => `${families.map(familyText).join('')}# EOF\n`;

/**
 * Returns the metrics about the end of a run or suite: exit code, and end time in seconds since 1970. A value that is not known
 * gives no sample.
 * @param labels labels of these samples
 */
function endFamilies(
  what: 'run' | 'suite',
  labels: MetricLabels,
  { endedAt, exitCode }: Pick<RunRecord, 'endedAt' | 'exitCode'>,
): MetricFamily[] {
  return [
    {
      ...{ name: `collbench_${what}_exit_code`, unit: '' },
      help: '0 all asked was measured and verified; see the exit codes of collbench.',
      samples: exitCode === null ? [] : [{ labels, value: exitCode }],
    },
    {
      ...{ name: `collbench_${what}_end_seconds`, unit: 'seconds' },
      help: `End of the ${what}, seconds since 1970.`,
      samples: endedAt === null ? [] : [{ labels, value: Date.parse(endedAt) / 1000 }],
    },
  ];
}

function cellFamilies(all: readonly { cell: CellRecord; labels: MetricLabels }[]): MetricFamily[] {
  const cells = all.map(({ cell }) => cell);
  const timed = all.flatMap(({ cell, labels }) =>
    allMeasuredFigures(cell).map((figure): TimeMetric => {
      const trial = trialOf(dataOf(cell.workload), figure.name);
      return { cell, labels: { ...labels, trial }, figure };
    }),
  );
  const each = (value: (figure: MeasuredFigure) => number | undefined): MetricSample[] =>
    timed.flatMap(({ labels, figure }) => {
      const found = value(figure);
      return found === undefined ? [] : [{ labels, value: found }];
    });
  const ofCells = (value: (cell: CellRecord) => number | null): MetricSample[] =>
    all.flatMap(({ cell, labels }) => {
      const found = value(cell);
      return found === null ? [] : [{ labels, value: found }];
    });
  const seconds = (ns: number | undefined) => (ns === undefined ? undefined : ns / 1e9);
  return [
    {
      ...{ name: 'collbench_time_seconds', unit: 'seconds' },
      help: 'Time of one operation: median over the samples of a launch, geometric mean of these over several launches.',
      samples: each(({ value }) => value / 1e9),
    },
    {
      ...{ name: 'collbench_time_low_seconds', unit: 'seconds' },
      help: 'Lower end of the 95 % interval of collbench_time_seconds.',
      samples: each(({ interval }) => seconds(interval?.low)),
    },
    {
      ...{ name: 'collbench_time_high_seconds', unit: 'seconds' },
      help: 'Upper end of the 95 % interval of collbench_time_seconds.',
      samples: each(({ interval }) => seconds(interval?.high)),
    },
    ...derivedFamilies(cells, timed),
    {
      ...{ name: 'collbench_cell_measured', unit: '' },
      help: '1 if the configuration was measured, 0 if it failed.',
      samples: ofCells(({ status }) => (status === 'ok' ? 1 : status === 'skipped' ? null : 0)),
    },
    {
      ...{ name: 'collbench_wrong_elements', unit: '' },
      help: 'Elements of verified results that were wrong.',
      samples: ofCells((cell) =>
        cell.status === 'ok' && cell.verification.enabled ? cell.verification.wrongElements : null,
      ),
    },
  ];
}
