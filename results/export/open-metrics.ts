// A run as OpenMetrics text (openmetrics.io, 1.0), also read by the textfile collector of Prometheus' node exporter: gauges
// alone and no timestamps, which that refuses.
import type { CellRecord, RunRecord, TrialFigures } from '../schema/index.ts';

type Labels = Readonly<Record<string, string | number>>;

interface Sample {
  labels: Labels;
  value: number;
}

interface Family {
  name: string;
  /** Ends the name; "" = a number without one. */
  unit: string;
  help: string;
  samples: Sample[];
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
/** A line break of any other kind would end the line for some readers. */
const oneLine = (text: string): string => text.replaceAll(/(?!\n)\p{Cc}|[\u2028\u2029]/gu, ' ');

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(oneLine(String(value)))}"`)
    .join(',');

function familyText({ name, unit, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = [
    `# TYPE ${name} gauge`,
    ...(unit === '' ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samples.map(({ labels, value }) => `${name}{${labelsText(labels)}} ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a cell is; equal in every run that measures it. */
function labelsOf(cell: CellRecord): Labels {
  const {
    collective,
    dtype,
    op,
    root,
    inPlace,
    payloadBytes,
    ranks,
    nodes,
    engine,
    transport,
    medium,
    group,
  } = cell;
  return {
    collective,
    dtype,
    op: op ?? '',
    root: root ?? '',
    in_place: String(inPlace),
    bytes: payloadBytes,
    ranks,
    nodes,
    engine,
    transport,
    // Of imported cells nobody told.
    medium: cell.printed === undefined ? medium : '',
    ...(group === undefined ? {} : { group: group.name }),
  };
}

/** All cells of a run and how it ended. */
export function runToOpenMetrics(record: RunRecord, cells: readonly CellRecord[]): string {
  const trials = cells.flatMap((cell) =>
    cell.status !== 'ok'
      ? []
      : [cell.isolated, cell.pipelined].flatMap((figures) =>
          figures === null ? [] : [{ labels: { ...labelsOf(cell), trial: figures.trial }, figures }],
        ),
  );
  const each = (value: (figures: TrialFigures) => number | undefined): Sample[] =>
    trials.flatMap(({ labels, figures }) => {
      const found = value(figures);
      return found === undefined ? [] : [{ labels, value: found }];
    });
  const ofCells = (value: (cell: CellRecord) => number | null): Sample[] =>
    cells.flatMap((cell) => {
      const found = value(cell);
      return found === null ? [] : [{ labels: labelsOf(cell), value: found }];
    });
  const run = { run: record.id, title: record.title, state: record.state };
  const ended = record.endedAt === null ? [] : [{ labels: run, value: Date.parse(record.endedAt) / 1000 }];
  const seconds = (ns: number | undefined) => (ns === undefined ? undefined : ns / 1e9);
  const families: Family[] = [
    {
      ...{ name: 'collbench_time_seconds', unit: 'seconds' },
      help: 'Time of one operation: median of launch medians.',
      samples: each(({ medianNs }) => medianNs / 1e9),
    },
    {
      ...{ name: 'collbench_time_low_seconds', unit: 'seconds' },
      help: 'Lower end of the 95 % interval of collbench_time_seconds.',
      samples: each(({ interval }) => seconds(interval?.lowNs)),
    },
    {
      ...{ name: 'collbench_time_high_seconds', unit: 'seconds' },
      help: 'Upper end of the 95 % interval of collbench_time_seconds.',
      samples: each(({ interval }) => seconds(interval?.highNs)),
    },
    {
      ...{ name: 'collbench_bus_bandwidth_bytes_per_second', unit: 'bytes_per_second' },
      help: 'Payload by time, times the share of it that a link must carry.',
      samples: each(({ busGBps }) => busGBps * 1e9),
    },
    {
      ...{ name: 'collbench_cell_measured', unit: '' },
      help: '1 where the cell was measured, 0 where it failed.',
      samples: ofCells(({ status }) => (status === 'ok' ? 1 : status === 'skipped' ? null : 0)),
    },
    {
      ...{ name: 'collbench_wrong_elements', unit: '' },
      help: 'Elements of verified results that were wrong.',
      samples: ofCells((cell) =>
        cell.status === 'ok' && cell.verification.enabled ? cell.verification.wrongElements : null,
      ),
    },
    {
      ...{ name: 'collbench_run_exit_code', unit: '' },
      help: '0 all asked was measured and verified; see the exit codes of collbench.',
      samples: record.exitCode === null ? [] : [{ labels: run, value: record.exitCode }],
    },
    {
      ...{ name: 'collbench_run_end_seconds', unit: 'seconds' },
      help: 'End of the run, seconds since 1970.',
      samples: ended,
    },
  ];
  return `${families.map(familyText).join('')}# EOF\n`;
}
