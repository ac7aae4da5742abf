// Which entries can run here, known before anything starts.

import { nodesOf } from '../../orchestration/preparing/nodes.ts';
import { prepare } from '../../orchestration/preparing/prepare.ts';
import { Refusal } from '../../results/refusals/refusal.ts';
import { wordsOf } from '../../results/refusals/words.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import type { SuitePlanEntry, WrittenOptions } from '../../suites/suite/index.ts';
import { CommandError } from '../exit.ts';
import { commandOf, type SuiteCommand } from './words.ts';

export interface Ready {
  /** Without the transports that are left out. */
  entry: SuitePlanEntry;
  environment: Record<string, string>;
  /** Null where nothing of it can run here. */
  command: SuiteCommand | null;
  plan: RunPlan | null;
  /** Why nothing can; null where something does. */
  reason: string | null;
  leftOut: { transport: string; reason: string }[];
}

export const environmentOf = (written: ReadonlyMap<string, { text: string }>): Record<string, string> =>
  Object.fromEntries([...written].map(([name, { text }]) => [name, text]));

/**
 * Asks the machines what of an entry can run. Of several transports those that cannot are left out, with the reason.
 * @throws CommandError options that contradict each other: that is a mistake of the suite
 */
export async function readyOf(entry: SuitePlanEntry): Promise<Ready> {
  const environment = environmentOf(entry.environment);
  const command = commandOf(entry);
  requireEnvironment(entry, command, environment);
  const found = { entry, environment, leftOut: [], reason: null };
  const whole = await tryPlan(command);
  if (typeof whole !== 'string') return { ...found, command, plan: whole };
  const transports = command.options.transport ?? [];
  if (transports.length < 2) return { ...found, command: null, plan: null, reason: whole };
  const leftOut: Ready['leftOut'] = [];
  const kept: string[] = [];
  for (const transport of transports) {
    const alone = await tryPlan(commandOf(entry, withTransport(entry.options, transport)));
    if (typeof alone === 'string') leftOut.push({ transport, reason: alone });
    else kept.push(transport);
  }
  if (kept.length === 0) return { ...found, command: null, plan: null, reason: whole };
  const narrowed = { ...entry, options: withTransport(entry.options, kept.join(',')) };
  const rest = commandOf(narrowed);
  const plan = await tryPlan(rest);
  if (typeof plan === 'string') return { ...found, command: null, plan: null, reason: plan, leftOut };
  return { ...found, entry: narrowed, command: rest, plan, leftOut };
}

function withTransport(options: WrittenOptions, text: string): WrittenOptions {
  const at = options.get('transport')?.at ?? { file: '', line: 1, column: 1 };
  return new Map([...options, ['transport', { text, at }]]);
}

/** Threads of this process have its environment. */
function requireEnvironment(
  entry: SuitePlanEntry,
  { options }: SuiteCommand,
  environment: Record<string, string>,
): void {
  if (!options.inProcess || Object.keys(environment).length === 0) return;
  const { file, line, column } = entry.at;
  throw new CommandError(`${file}:${line}:${column}: ${entry.name}: environment and in-process`, [
    '  ranks that are threads of this process have its variables: leave out one of them',
  ]);
}

/** The plan, or why there is none, in one line. */
async function tryPlan({ collective, options, words }: SuiteCommand): Promise<RunPlan | string> {
  try {
    const nodes = await nodesOf(options);
    try {
      return (await prepare(collective, options, words, nodes)).plan;
    } finally {
      await nodes.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}

/** @throws what is no refusal */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) {
    const { message, details = [] } = wordsOf(error);
    return [message, ...details].join('; ');
  }
  if (error instanceof CommandError) {
    const more = error.lines.filter((line) => line.startsWith('  ')).map((line) => line.trim());
    return [error.message, ...more].join('; ');
  }
  if (!(error instanceof FailureError)) throw error;
  return error.message;
}
