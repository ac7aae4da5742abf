/** Program for developers that writes the JSON Schema files in generated/; with `--check` it only lists outdated ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  baseline,
  bisectionRecord,
  blockRecord,
  calibration,
  cellRecord,
  comparison,
  doctorReport,
  explanationRecord,
  gateResult,
  metricsLine,
  runPlan,
  runRecord,
  suiteRecord,
  topologyReport,
} from './index.ts';

const schemas = {
  run: { schema: runRecord, title: 'run.json', description: 'One run: plan, environment, verdicts.' },
  plan: { schema: runPlan, title: 'plan', description: 'The plan, as --plan-only --json prints it.' },
  cell: { schema: cellRecord, title: 'a line of cells.ndjson', description: 'Figures of one cell.' },
  block: {
    schema: blockRecord,
    title: 'a line of samples/blocks.ndjson',
    description: 'Raw samples of one block on all ranks, nanoseconds.',
  },
  metrics: {
    schema: metricsLine,
    title: 'a line of metrics/<host>.ndjson',
    description: 'System load of a machine: header, readings, cost of sampling.',
  },
  calibration: {
    schema: calibration,
    title: 'collbench aa --json',
    description: 'Pairs of equal runs, judged as if they were two builds.',
  },
  comparison: {
    schema: comparison,
    title: 'collbench compare --json',
    description: 'Runs compared with a base run: ratios, intervals, verdicts.',
  },
  doctor: {
    schema: doctorReport,
    title: 'collbench doctor --json',
    description: 'Findings, and the facts of the machines.',
  },
  bisection: {
    schema: bisectionRecord,
    title: 'bisection.json',
    description: 'Which of many builds or settings changed the time of an operation.',
  },
  explanation: {
    schema: explanationRecord,
    title: 'explanation.json',
    description: 'Where the time of an operation goes: causes, needed work, the bound.',
  },
  baseline: {
    schema: baseline,
    title: 'a file of collbench-baselines',
    description: 'Results that later runs are compared with, and their scatter.',
  },
  suite: { schema: suiteRecord, title: 'suite.json', description: 'Runs that belong together.' },
  gate: {
    schema: gateResult,
    title: 'collbench suite NAME --gate --json',
    description: 'What was compared, and the verdict.',
  },
  topology: {
    schema: topologyReport,
    title: 'collbench topo --json',
    description: 'Topology of machines, and the rings and trees of NCCL.',
  },
};

/**
 * Returns every JSON Schema file that describes stored results: its name without folder ("run.json") and its content, which ends
 * with a line break. Nothing is written.
 */
export function generatedSchemas(): { file: string; text: string }[] {
  return Object.entries(schemas).map(([name, { schema, title, description }]) => {
    // The schema describes input: fields with a default may be missing in older files.
    const { $schema, ...body } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
    const document = { $schema, title, description, ...body };
    return { file: `${name}.json`, text: `${JSON.stringify(document, null, 2)}\n` };
  });
}

/**
 * Returns the names, without folder, of JSON Schema files in `folder` that are missing, cannot be read, or have another content
 * than generate() would write. Empty if all are current.
 */
export function outdatedSchemas(folder: string): string[] {
  return generatedSchemas().flatMap(({ file, text }) => {
    try {
      return readFileSync(join(folder, file), 'utf8') === text ? [] : [file];
    } catch {
      return [file];
    }
  });
}

/**
 * Writes all JSON Schema files into `folder` and replaces existing ones. @throws an error of the file system if the folder does
 * not exist or cannot be written
 */
export function generate(folder: string): void {
  for (const { file, text } of generatedSchemas()) writeFileSync(join(folder, file), text);
}

if (process.argv[1]?.endsWith('generate.js')) {
  const folder = join('results', 'schema', 'generated');
  if (process.argv.includes('--check')) {
    const old = outdatedSchemas(folder);
    if (old.length > 0) {
      console.error(`not current: ${old.join(', ')}; run node dist/results/schema/generate.js`);
      process.exitCode = 1;
    }
  } else generate(folder);
}
