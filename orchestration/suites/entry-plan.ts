// Finds out which entries of a suite can run here, before anything starts.
import { Refusal, refuse } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { placeText } from '../../suites/suite/error.ts';
import type { SuiteReading } from '../../suites/suite/read.ts';
import type { SuiteOptionTexts, SuitePlanEntry } from '../../suites/suite/types.ts';
import type { RequestedRun } from '../preparing/prepare.ts';
import type { RunTools } from '../running/output.ts';
import { withPrepared } from '../running/run.ts';

/**
 * Functions that running a suite needs from folders that orchestration may not import: parsing of suite files and command-line
 * options (`reading`), and reports (`run`).
 */
export interface SuiteTools {
  reading: SuiteReading;
  /**
   * Returns the measuring command of a suite entry. It is not run.
   * @param options options that replace all options of the entry; absent = the options of the entry
   * @throws Refusal if options contradict each other, with the position of the entry in the file
   */
  commandOf(entry: SuitePlanEntry, options?: SuiteOptionTexts): RequestedRun;
  run: RunTools;
}

export const environmentOf = (written: ReadonlyMap<string, { text: string }>): Record<string, string> =>
  Object.fromEntries([...written].map(([name, { text }]) => [name, text]));

export interface EntryPlan {
  /**
   * The entry as in the suite file, with the options of the command line. If only some of its transports can run on its hosts, it
   * has only these.
   */
  entry: SuitePlanEntry;
  environment: Record<string, string>;
  /** The entry as a collbench command with its options; null if the entry is not run, for the reason in `reason`. */
  command: RequestedRun | null;
  plan: RunPlan | null;
  /**
   * Reason why the entry is not run: none of its transports can run on its hosts, or another entry can (`isNeedless`). Null if the
   * entry is run.
   */
  reason: string | null;
  leftOut: { transport: string; reason: string }[];
  /**
   * True if the entry is not run because another entry, which `reason` names, can run (`unless` in the suite file); absent =
   * false.
   */
  isNeedless?: boolean;
}

/**
 * Probes the machines for the transports of a suite entry, and plans it. If only some of its transports can run, the others are
 * left out, with the reason. If none can run, `command` is null and `reason` says why. Hosts that cannot be reached are such a
 * reason, too.
 * @param commandOf converts an entry to a measuring command
 * @throws Refusal if options contradict each other, or set variables for ranks that are threads of this process; these are
 * mistakes in the suite file
 */
export async function readyOf(entry: SuitePlanEntry, commandOf: SuiteTools['commandOf']): Promise<EntryPlan> {
  const environment = environmentOf(entry.environment);
  const command = commandOf(entry);
  // Ranks that are threads of this process share its environment.
  if (command.options.inProcess && Object.keys(environment).length > 0) {
    throw refuse('environment-in-process', { entry: entry.name }).at(placeText(entry.at));
  }
  const found = { entry, environment, command: null, plan: null, reason: null };
  const whole = await tryPlan(command, environment);
  if (typeof whole !== 'string') return { ...found, command, plan: whole, leftOut: [] };
  const transports = command.options.transport ?? [];
  if (transports.length < 2) return { ...found, reason: whole, leftOut: [] };
  const leftOut: EntryPlan['leftOut'] = [];
  const kept: string[] = [];
  for (const transport of transports) {
    const alone = await tryPlan(commandOf(entry, withTransport(entry.options, transport)), environment);
    if (typeof alone === 'string') leftOut.push({ transport, reason: alone });
    else kept.push(transport);
  }
  if (kept.length === 0) return { ...found, reason: whole, leftOut: [] };
  const narrowed = { ...entry, options: withTransport(entry.options, kept.join(',')) };
  const rest = commandOf(narrowed);
  const plan = await tryPlan(rest, environment);
  if (typeof plan === 'string') return { ...found, reason: plan, leftOut };
  return { ...found, entry: narrowed, command: rest, plan, leftOut };
}

function withTransport(options: SuiteOptionTexts, text: string): SuiteOptionTexts {
  const at = options.get('transport')?.at ?? { file: '', line: 1, column: 1 };
  return new Map([...options, ['transport', { text, at }]]);
}

/**
 * Makes the plan of an entry. If it cannot run, returns the reason as one line, from a refusal or failure. Other errors, such as
 * defects, are thrown.
 * @param environment environment variables that the entry sets for its ranks
 */
async function tryPlan(
  command: RequestedRun,
  environment: Record<string, string>,
): Promise<RunPlan | string> {
  try {
    return await withPrepared(command, async ({ plan }) => plan, environment);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    return reason;
  }
}

/**
 * Returns the text of a refusal or failure as one line; null for other errors, which are defects of collbench or errors of the
 * store.
 */
export function reasonOf(error: unknown): string | null {
  if (error instanceof FailureError) return error.message;
  if (!(error instanceof Refusal)) return null;
  const { message, details = [] } = refusalWording(error);
  return [message, ...details].join('; ');
}
