import { closeSync, openSync, writeSync } from 'node:fs';
import type { MeasurementProgress, RunOutput } from '../../orchestration/running/output.ts';
import { secondsTaken } from '../../reports/resume-lines.ts';
import type { LiveTable, LiveTableOptions } from '../../reports/terminal/live.ts';
import { newestResult, progressLine } from '../../reports/terminal/progress.ts';
import { finalTable } from '../../reports/terminal/run-table.ts';
import { createTable } from '../../reports/terminal/table.ts';
import { formatDuration, wrap } from '../../reports/wording.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type CellRecord, isDisturbed, type RunPlan, type RunRecord } from '../../results/schema/index.ts';
import type { OutputOptions } from '../options/output.ts';
import { controlTerminal, nearPath, ProgressLine, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { linesOf, ProvisionalRows } from './provisional-rows.ts';

const seconds = (since: number) => (performance.now() - since) / 1000;
const estimateText = (wholeS: number): string => `revised estimate: ${formatDuration(wholeS)}`;

/** Number of terminal lines kept free below the rows, for the progress line and the cursor. */
const freeLines = 3;

/** Returns the control sequence that moves up `lines` lines and erases everything below. */
const erased = (lines: number): string => `\u001b[${lines}A\r\u001b[J`;

/**
 * Milliseconds after which the displayed time left may rise again. If it stood still for longer, users would think that the run
 * hangs.
 */
const maxStandstillMs = 10_000;
/** Height in lines that is assumed for a terminal that does not report its height. */
const usualHeight = 24;

/**
 * Prints the table of a run on stdout, and a progress line on stderr if stderr is a terminal. A terminal shows rows as soon as
 * their first launch is verified. The final table replaces them, because confidence intervals and flags are final only at the end.
 * If stdout is not a terminal, it gets only the final table, so that no program reads a row twice; the progress line then has the
 * newest result.
 */
export class TableOutput implements RunOutput {
  private readonly table: LiveTable;
  private readonly line = new ProgressLine();
  private readonly started = performance.now();
  private readonly options: LiveTableOptions;
  /**
   * True if each row is printed as soon as it is measured: on a terminal if the layout allows it, or if COLLBENCH_LIVE=1. If
   * `several` is not null, rows are printed together and this value is not used.
   */
  private readonly isLive: boolean;
  /** True if stdout is a terminal on which printed rows can be erased, so that other rows can replace them. */
  private readonly canErase = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  /** All rows printed so far, if each new row makes all of them print again; null if rows are printed one by one. */
  private readonly several: ProvisionalRows | null;
  /** Text of each printed table row, by index of its point (message size) in plan.points, in the order of printing. */
  private readonly rows = new Map<number, string>();
  private live = '';
  /** Results of the point that was measured last. */
  private newest: readonly CellRecord[] = [];
  private hasNotes = false;
  private shownAt = 0;
  private flagged = 0;
  private visits = 0;
  private leftS = Number.POSITIVE_INFINITY;
  /** Time (performance.now(), ms) at which the displayed time left changed last. */
  private leftMs = 0;

  constructor(plan: RunPlan, runId: string, isVerbose: boolean) {
    this.options = { plan, ...shapeOfStdout(), runId, isBrief: !isVerbose };
    this.table = createTable(this.options);
    const isTerminal = process.stdout.isTTY === true;
    this.isLive = (isTerminal && this.table.isLive) || process.env.COLLBENCH_LIVE === '1';
    // All rows are replaced together if new rows change the headings (grids), or if the rows do not fit on the screen.
    const isHigh = plan.points.length * plan.transports.length + freeLines >= this.height;
    const isReplaced = this.canErase && (!this.table.isLive || isHigh) && plan.pairs === undefined;
    this.several = isReplaced ? new ProvisionalRows(this.options) : null;
  }

  begin(): void {
    printText(this.table.head());
  }

  cell(cell: CellRecord, row: readonly CellRecord[] | null): void {
    if (cell.status === 'ok' && isDisturbed(cell)) this.flagged += 1;
    if (row === null) return;
    this.newest = row;
    if (this.several !== null) this.showSeveral(cell.point, row);
    else if (this.isLive) this.show(cell.point, this.table.row(cell.point, row));
  }

  /**
   * Shows a row before it is final. If rows are printed one by one, this is done only on a terminal on which all rows fit.
   * Otherwise the row could not be replaced later.
   * @param point index of the point in plan.points
   */
  early(point: number, row: readonly CellRecord[]): void {
    this.newest = row;
    if (this.several !== null) this.showSeveral(point, row);
    if (this.several !== null || !this.isLive || !this.canErase) return;
    const text = this.table.row(point, row);
    const height = linesOf(text) * this.options.plan.points.length;
    if (height + freeLines < this.height) this.show(point, text);
  }

  /** Number of lines of the terminal; `usualHeight` if the terminal does not report it. */
  private get height(): number {
    return process.stdout.rows || usualHeight;
  }

  private showSeveral(point: number, row: readonly CellRecord[]): void {
    this.line.clear();
    this.rewrite(this.several?.with(point, row, this.height - freeLines) ?? '');
  }

  private show(point: number, text: string): void {
    this.line.clear();
    const isNew = !this.rows.has(point);
    this.rows.set(point, text);
    if (isNew) {
      this.live += text;
      printText(text);
    } else {
      this.rewrite([...this.rows.values()].join(''));
    }
  }

  /** True if all printed rows are still on the screen, so that they can be erased and replaced. */
  private fits(): boolean {
    return this.canErase && linesOf(this.live) < this.height;
  }

  private rewrite(rows: string): void {
    if (rows === this.live) return;
    if (this.live !== '') controlTerminal('stdout', erased(linesOf(this.live)));
    printText(rows);
    this.live = rows;
  }

  /**
   * Prints a note above the rows, so that the rows can still be replaced. If rows have already left the screen, the note is printed
   * below them, and the final table is printed separately at the end.
   */
  note(text: string): void {
    const { live } = this;
    const isBetween = live !== '' && this.fits();
    this.line.clear();
    if (isBetween) this.rewrite('');
    else this.hasNotes ||= live !== '';
    this.line.note(text);
    if (isBetween) this.rewrite(live);
  }

  /**
   * Prints a new estimate of the run's duration. The progress line then shows the time left according to it.
   * @param wholeS estimated seconds of the whole run
   */
  estimate(wholeS: number): void {
    this.note(estimateText(wholeS));
    this.showLeft(Math.max(0, wholeS - seconds(this.started)), performance.now());
  }

  /**
   * Updates the progress line, at most five times a second. The number of measurements never falls. The time left rises only after
   * a new estimate or after it stood still for 10 s. If no rows are shown, the line has the newest result instead of what is being
   * measured.
   * @param leftS estimated seconds to the end; null = unknown
   * @param share finished share of the run, 0 to 1
   * @param measured text about what is being measured
   * @param visits numbers of finished and of all measurements
   */
  progress(leftS: number | null, share: number, measured?: string, visits?: MeasurementProgress): void {
    const now = performance.now();
    if (leftS !== null && (leftS < this.leftS || now - this.leftMs >= maxStandstillMs))
      this.showLeft(leftS, now);
    this.visits = Math.max(this.visits, visits?.done ?? 0);
    if (now - this.shownAt < 200) return;
    this.shownAt = now;
    this.line.show((columns) =>
      progressLine(
        {
          done: this.visits,
          total: Math.max(this.visits, visits?.total ?? 0),
          elapsedS: seconds(this.started),
          leftS: leftS === null ? null : this.leftS,
          share,
          flagged: this.flagged,
          isProvisional: this.live !== '',
          now: (this.live === '' && newestResult(this.options.plan, this.newest)) || (measured ?? ''),
        },
        columns,
      ),
    );
  }

  private showLeft(leftS: number, nowMs: number): void {
    this.leftS = leftS;
    this.leftMs = nowMs;
  }

  end(cells: readonly CellRecord[], record: RunRecord, _dir: string, report: string | null): void {
    this.line.clear();
    const { rows, foot } = finalTable(
      { record, cells },
      this.options,
      secondsTaken(record),
      report === null ? null : nearPath(report),
    );
    this.writeRows(rows);
    printText(foot);
  }

  last(text: string): void {
    printText(`${wrap(text, this.options.columns, '  ').join('\n')}\n`);
  }

  private writeRows(rows: string): void {
    if (rows === this.live) return;
    if (!this.hasNotes && this.fits()) this.rewrite(rows);
    else printText((this.live === '' ? '' : '\nfinal table (as stored):\n') + rows);
  }
}

interface JsonFormat {
  /** True if this output prints notes on stderr; false if another output prints them. */
  speaks: boolean;
  /** True if results are also written before the end of the run, marked `"provisional": true`. */
  isLive: boolean;
}

/**
 * Writes a run as JSON lines: at the end one object per configuration and a summary. With `isLive` it also writes a provisional
 * object as soon as a configuration is measured.
 */
class JsonOutput implements RunOutput {
  private readonly write: (line: string) => void;
  private readonly how: JsonFormat;

  constructor(write: (line: string) => void, how: JsonFormat) {
    this.write = write;
    this.how = how;
  }

  begin(): void {}

  cell(cell: CellRecord): void {
    if (this.how.isLive) this.write(`${JSON.stringify({ type: 'cell', provisional: true, ...cell })}\n`);
  }

  note(text: string): void {
    if (this.how.speaks) printNote(text);
  }

  estimate(wholeS: number): void {
    this.note(estimateText(wholeS));
  }

  progress(): void {}

  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void {
    // Intervals and flags are known only at the end, when all readings of the system load are available.
    for (const cell of cells) this.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
    const { id, title, state, exitCode, startedAt, endedAt, failures, summary, plan } = record;
    const { expected, skipped } = plan;
    const { resumed = [] } = record;
    const told = { id, title, state, exitCode, startedAt, endedAt, dir, report, expected, skipped, failures };
    this.write(`${JSON.stringify({ type: 'summary', ...told, resumed: resumed.length, ...summary })}\n`);
  }
}

/**
 * Opens the file of --json-file; an older file is overwritten.
 * @param isLive true if results are also written before the end of the run
 * @throws Refusal if the file cannot be written
 */
function fileOutput(file: string, isLive: boolean): { output: RunOutput; close: () => void } {
  try {
    const handle = openSync(file, 'w');
    return {
      output: new JsonOutput((line) => writeSync(handle, line), { speaks: false, isLive }),
      close: () => closeSync(handle),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse('file-unwritable', { where: `--json-file ${file}`, why });
  }
}

type ScreenOptions = Pick<OutputOptions, 'json' | 'jsonLive' | 'jsonFile'> &
  Partial<Pick<OutputOptions, 'verbose'>>;

/**
 * Opens the outputs of a run: a table or JSON lines on stdout, and JSON lines in a file if --json-file names one. The caller
 * calls `close` after the run, which closes this file.
 * @throws Refusal if the file cannot be written
 */
export function outputsOf(
  plan: RunPlan,
  runId: string,
  { json, jsonLive, jsonFile, verbose = false }: ScreenOptions,
): { outputs: RunOutput[]; close: () => void } {
  const screen =
    json || jsonLive
      ? new JsonOutput(printText, { speaks: true, isLive: jsonLive })
      : new TableOutput(plan, runId, verbose);
  if (jsonFile === null) return { outputs: [screen], close: () => undefined };
  const { output, close } = fileOutput(jsonFile, jsonLive);
  return { outputs: [screen, output], close };
}
