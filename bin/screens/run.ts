import { closeSync, openSync, writeSync } from 'node:fs';
import type { Output } from '../../orchestration/running/output.ts';
import { resumedSentence } from '../../reports/resumed.ts';
import { createTable, progressLine, type Table } from '../../reports/terminal/index.ts';
import { formatDuration } from '../../reports/wording.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CellRecord, RunPlan, RunRecord } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import type { OutputOptions } from '../options/index.ts';
import { nearPath, ProgressLine, shapeOfStdout } from '../terminal.ts';

const seconds = (since: number) => (performance.now() - since) / 1000;
const estimateText = (wholeS: number): string => `revised estimate: ${formatDuration(wholeS)}`;

/** The live table on stdout, with a progress line on stderr where that is a terminal. */
export class TableOutput implements Output {
  private readonly table: Table;
  private readonly line = new ProgressLine();
  private readonly started = performance.now();
  private readonly plan: RunPlan;
  private shownAt = 0;
  private done = 0;
  private flagged = 0;

  constructor(plan: RunPlan, runId: string) {
    this.plan = plan;
    this.table = createTable({ plan, ...shapeOfStdout(), runId });
  }

  begin(): void {
    process.stdout.write(this.table.head());
  }

  cell(cell: CellRecord, row: readonly CellRecord[] | null): void {
    this.done += 1;
    if (cell.status === 'ok' && cell.flags.length > 0) this.flagged += 1;
    if (row === null) return;
    this.line.clear();
    process.stdout.write(this.table.row(cell.point, row));
  }

  note(text: string): void {
    this.line.note(text);
  }

  estimate(wholeS: number): void {
    this.note(estimateText(wholeS));
  }

  progress(leftS: number | null): void {
    const now = performance.now();
    if (now - this.shownAt < 200) return;
    this.shownAt = now;
    const { done, flagged } = this;
    const state = { done, total: this.plan.expected.cells, elapsedS: seconds(this.started), leftS, flagged };
    this.line.show((columns) => progressLine(state, columns));
  }

  end(cells: readonly CellRecord[], record: RunRecord, _dir: string, report: string | null): void {
    this.line.clear();
    const foot = {
      cells,
      elapsedS: seconds(this.started),
      reportPath: report === null ? null : nearPath(report),
      resumed: resumedSentence(record),
      found: record.summary?.sentences ?? [],
    };
    process.stdout.write(this.table.foot(foot));
  }
}

/** One object per cell and line, one per cell that is flagged for its machine, then one summary object. */
export class JsonOutput implements Output {
  private readonly write: (line: string) => void;
  private readonly speaks: boolean;

  /** @param speaks notes go to stderr; off where another output tells them already */
  constructor(write: (line: string) => void, speaks: boolean) {
    this.write = write;
    this.speaks = speaks;
  }

  begin(): void {}

  cell(cell: CellRecord): void {
    this.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
  }

  note(text: string): void {
    if (this.speaks) process.stderr.write(`collbench: ${harmless(text)}\n`);
  }

  estimate(wholeS: number): void {
    this.note(estimateText(wholeS));
  }

  progress(): void {}

  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void {
    // Known only now that all readings of the machines are there.
    for (const cell of cells) {
      const reasons = cell.status === 'ok' ? (cell.load?.reasons ?? []) : [];
      if (cell.status !== 'ok' || reasons.length === 0) continue;
      this.write(`${JSON.stringify({ type: 'flags', id: cell.id, flags: cell.flags, reasons })}\n`);
    }
    const { id, title, state, exitCode, startedAt, endedAt, failures, summary, plan } = record;
    const { expected, skipped } = plan;
    const { resumed = [] } = record;
    const told = { id, title, state, exitCode, startedAt, endedAt, dir, report, expected, skipped, failures };
    this.write(`${JSON.stringify({ type: 'summary', ...told, resumed: resumed.length, ...summary })}\n`);
  }
}

/** @throws Refusal when the file cannot be written */
function fileOutput(file: string): { output: Output; close: () => void } {
  try {
    const handle = openSync(file, 'w');
    return {
      output: new JsonOutput((line) => writeSync(handle, line), false),
      close: () => closeSync(handle),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse('file-unwritable', { where: `--json-file ${file}`, why });
  }
}

/**
 * Table or JSON lines, and the file that was asked for.
 * @throws Refusal when the file cannot be written
 */
export function outputsOf(
  plan: RunPlan,
  runId: string,
  { json, jsonFile }: Pick<OutputOptions, 'json' | 'jsonFile'>,
): { outputs: Output[]; close: () => void } {
  const screen = json
    ? new JsonOutput((line) => process.stdout.write(line), true)
    : new TableOutput(plan, runId);
  if (jsonFile === null) return { outputs: [screen], close: () => undefined };
  const { output, close } = fileOutput(jsonFile);
  return { outputs: [screen, output], close };
}
