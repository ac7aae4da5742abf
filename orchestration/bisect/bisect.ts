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
  /** Reports what is being measured. */
  progress(session: BisectionSession): void;
}

export interface BisectWork {
  list: BisectedList;
  budgetS: number;
  signal: AbortSignal;
}

/** Number of launches of an item that may fail before it counts as not measurable. */
const maxFailures = 2;

/**
 * Carries a bisection on from its record, new or stopped earlier.
 * @param update gets the record after every pair of launches
 * @throws Refusal if an end of the list cannot be measured
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
  /** The last item whose launch was complete, so that its failure is one of the machine or of the command. */
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
