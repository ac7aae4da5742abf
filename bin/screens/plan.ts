import { planText } from '../../reports/terminal/plan.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import type { MeasuringCommandOptions } from '../options/index.ts';
import { outputOptionRows } from '../options/output.ts';
import { nearPath, printText, shapeOfStdout } from '../terminal.ts';

/** Prints a plan as text, or with --json as the complete JSON object. */
export function printPlan(
  plan: RunPlan,
  { json, jsonLive, out }: Pick<MeasuringCommandOptions, 'json' | 'jsonLive' | 'out'>,
): void {
  const folder = out === null ? outputOptionRows.out.defaultDescription : nearPath(out);
  printText(
    json || jsonLive
      ? `${JSON.stringify(plan, null, 2)}\n`
      : planText(plan, folder, Math.min(shapeOfStdout().columns, 100)),
  );
}
