// Carries out a bisection: pairs of launches until the search is complete, its time is over, or it is interrupted.
import { randomInt } from 'node:crypto';
import { BisectionSession } from '../../results/bisect/session.ts';
import { randomSource, shuffle } from '../../results/random.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { BisectedSubject, BisectionRecord } from '../../results/schema/index.ts';
import type { BisectedList } from './items.ts';
import {
  BisectLauncher,
  type BisectTools,
  type LaunchResult,
  type LaunchTimes,
  logRatioOf,
} from './launches.ts';

export interface BisectScreen {
  /** Shows the state of the bisection before each pair of launches. */
  progress(session: BisectionSession): void;
}

export interface BisectWork {
  list: BisectedList;
  budgetS: number;
  signal: AbortSignal;
}

/**
 * Number of failed launches in a row after which a subject (start, end or mixture) counts as not measurable. A launch that
 * delivered wrong data is not repeated: the subject counts as not measurable at once.
 */
const maxFailures = 2;

/**
 * Continues a bisection from its record, which may be new or of a bisection that was stopped. The record is changed in place. Its
 * `ended` says why this call ended: `budget` (`budgetS` seconds are over), `interrupted`, `failed`, or null = the search is
 * complete.
 * @param update stores the record; called after every pair of launches and at the end
 * @throws Refusal if a launch failed for the start or the end of the list, for the reference of a pair, or for a subject that was
 * measured before. Another subject that cannot be measured is left out of the search
 */
export async function bisect(
  { list, budgetS, signal }: BisectWork,
  record: BisectionRecord,
  tools: BisectTools,
  screen: BisectScreen,
  update: (record: BisectionRecord) => Promise<void>,
): Promise<void> {
  const session = new BisectionSession(record);
  const launcher = new BisectLauncher(record, list, tools);
  const random = randomSource(randomInt(2 ** 31));
  const [beganMs, secondsBefore] = [performance.now(), record.seconds];
  const tookS = (): number => (performance.now() - beganMs) / 1000;
  const end = async (ended: BisectionRecord['ended']): Promise<void> => {
    record.ended = ended;
    record.seconds = secondsBefore + tookS();
    await update(record);
  };
  const launch = async (subject: BisectedSubject): Promise<LaunchResult> => {
    for (let failures = 1; ; failures += 1) {
      const result = await launcher.measure(subject);
      record.launches += 1;
      if ('reason' in result && result.isWrong) record.wrongLaunches += 1;
      if (!('reason' in result) || result.isWrong || failures >= maxFailures || signal.aborted) return result;
    }
  };
  /**
   * Subjects that had a complete launch in this call of bisect(). If such a subject fails later, the machine or the command is at
   * fault, not the subject.
   */
  const measured = new Set<string>();
  for (let { question } = session; question !== null; { question } = session) {
    if (tookS() >= budgetS) return end('budget');
    screen.progress(session);
    const pairBeganS = tookS();
    const times = new Map<BisectedSubject, LaunchTimes>();
    const order = shuffle([question.reference, question.candidate], random) as [
      BisectedSubject,
      BisectedSubject,
    ];
    const inTurn = await launcher.measureInTurn(order);
    record.launches += inTurn?.length ?? 0;
    const wrong = inTurn?.filter((result) => 'reason' in result && result.isWrong).length ?? 0;
    record.wrongLaunches += wrong;
    // A launch that failed beside the other one is measured again, alone, unless its data were wrong.
    const isWhole = inTurn?.every((result) => 'times' in result) === true || wrong > 0;
    const both = isWhole ? inTurn : null;
    for (const [i, subject] of order.entries()) {
      if (signal.aborted) return end('interrupted');
      const result = both?.[i] ?? (await launch(subject));
      if ('interrupted' in result || signal.aborted) return end('interrupted');
      if ('times' in result) {
        times.set(subject, result.times);
        measured.add(keyOf(subject));
        continue;
      }
      const isEnd = subject.item === 0 || subject.item === record.items.length - 1;
      if (subject === question.reference || isEnd || measured.has(keyOf(subject))) {
        await end('failed');
        const name = record.items[subject.item]?.name ?? '';
        throw refuse('bisect-not-measured', { id: record.id, item: name, reason: result.reason });
      }
      session.addUnmeasurable(result.reason);
      break;
    }
    const [reference, candidate] = [times.get(question.reference), times.get(question.candidate)];
    if (reference !== undefined && candidate !== undefined) {
      const logRatio = logRatioOf(candidate, reference);
      if (logRatio === null) session.addUnmeasurable('it measured other configurations');
      else session.add(logRatio, tookS() - pairBeganS);
    }
    record.seconds = secondsBefore + tookS();
    await update(record);
  }
  await end(null);
}

const keyOf = ({ item, fixed }: BisectedSubject): string => [item, ...fixed].join();
