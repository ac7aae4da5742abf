// Where a comparison goes: terminal, Markdown or JSON on stdout, a page into a file, a verdict into the exit code.
import { writeFileSync } from 'node:fs';
import { type GateRule, gateOf } from '../../results/compare/index.ts';
import type { Comparison } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { CommandError } from '../exit.ts';
import { nearPath, wantsColor } from '../output.ts';

export interface TellOptions {
  form: 'terminal' | 'markdown' | 'json';
  all: boolean;
  /** Page to write; null = none. */
  html: string | null;
  /** What the exit code says; null = 0. */
  gate: GateRule | null;
}

export async function tell(
  comparison: Comparison,
  { form, all, html, gate }: TellOptions,
): Promise<ExitCode> {
  const { comparedMarkdown, comparedPage, comparedText } = await import('../../reports/compared/index.ts');
  if (html !== null) write(html, await comparedPage(comparison));
  if (form === 'json') process.stdout.write(`${JSON.stringify(comparison)}\n`);
  else if (form === 'markdown') process.stdout.write(comparedMarkdown(comparison));
  else {
    const isTerminal = process.stdout.isTTY === true;
    const columns = isTerminal ? process.stdout.columns || 80 : Number(process.env.COLUMNS) || 120;
    process.stdout.write(comparedText(comparison, { columns, color: wantsColor(isTerminal), all }));
    if (html !== null) process.stdout.write(`page: ${nearPath(html)}\n`);
  }
  return gate === null ? exitCode.ok : gateCode(comparison, gate);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`--html ${file}: ${error instanceof Error ? error.message : error}`, [
      '  allowed: a file in a folder that exists and can be written',
    ]);
  }
}

const outcomes = {
  pass: ['PASS', exitCode.ok],
  regression: ['REGRESSION', exitCode.regression],
  'wrong-data': ['WRONG DATA', exitCode.wrongData],
  'no-verdict': ['NO VERDICT', exitCode.noVerdict],
} as const;

/** One line on stderr, so that what stdout gives to programs stays whole. */
function gateCode(comparison: Comparison, rule: GateRule): ExitCode {
  const { outcome, reasons } = gateOf(comparison, rule);
  const [word, code] = outcomes[outcome];
  process.stderr.write(harmless(`${word} (${reasons.join('; ')})\n`));
  return code;
}
