import {
  type PairsText,
  pairsFoot,
  pairsHead,
  progressLine,
  timeLeft,
} from '../../reports/terminal/index.ts';
import type { CellRecord, RunPlan, RunRecord } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { nearPath, wantsColor } from '../output.ts';
import type { PairsScreen } from './pairs-run.ts';

const clearLine = '\r\u001b[K';

/** Table and progress for people, or one JSON object per cell and line. */
export class Screen implements PairsScreen {
  private readonly plan: RunPlan;
  private readonly isJson: boolean;
  private readonly text: PairsText;
  private readonly started = performance.now();
  private readonly hasProgress = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private done = 0;
  private flagged = 0;

  constructor(plan: RunPlan, runId: string, isJson: boolean) {
    this.plan = plan;
    this.isJson = isJson;
    const isTerminal = process.stdout.isTTY === true;
    const columns = isTerminal ? process.stdout.columns || 80 : Number(process.env.COLUMNS) || 120;
    this.text = { plan, columns: Math.max(40, columns), color: wantsColor(isTerminal), runId };
  }

  begin(): void {
    if (!this.isJson) process.stdout.write(pairsHead(this.text));
  }

  note(text: string): void {
    this.clear();
    process.stderr.write(`collbench: ${harmless(text)}\n`);
  }

  cells(cells: readonly CellRecord[]): void {
    this.done += cells.length;
    for (const cell of cells) {
      if (cell.status === 'ok' && cell.flags.length > 0) this.flagged += 1;
      if (this.isJson) process.stdout.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
    }
  }

  progress(share: number): void {
    if (!this.hasProgress) return;
    const elapsedS = this.elapsedS;
    const { estimateS, expected } = this.plan;
    const leftS = timeLeft(elapsedS, share * estimateS, estimateS);
    const state = { done: this.done, total: expected.cells, elapsedS, leftS, flagged: this.flagged };
    process.stderr.write(clearLine + progressLine(state, Math.min(process.stderr.columns || 80, 100) - 1));
  }

  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void {
    this.clear();
    if (this.isJson) {
      const { id, title, state, exitCode, startedAt, endedAt, failures, summary } = record;
      const told = { id, title, state, exitCode, startedAt, endedAt, dir, report, failures };
      process.stdout.write(`${JSON.stringify({ type: 'summary', ...told, ...summary })}\n`);
    } else {
      const reportPath = report === null ? null : nearPath(report);
      const end = { elapsedS: this.elapsedS, found: record.summary?.sentences ?? [], reportPath };
      process.stdout.write(pairsFoot(this.text, cells, end));
    }
  }

  private get elapsedS(): number {
    return (performance.now() - this.started) / 1000;
  }

  private clear(): void {
    if (this.hasProgress) process.stderr.write(clearLine);
  }
}
