// Concurrent loads (--beside): each load makes a separate series, interleaved with the series without load.
import { refuse } from '../../results/refusals/refusal.ts';
import { loadOf, loadSetting } from '../../results/schema/index.ts';
import { enginesWith, type PlanningEngine, planningEngines, type SeriesChoice } from '../engines/index.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import type { MeasuredCommand } from '../workloads/index.ts';
import { skewed } from './skews.ts';

const nameIn = (word: string) => loadOf(word)?.name;

/**
 * Checks the loads of --beside.
 * @throws Refusal if the engine cannot run one of them, or if a single rank is to run the load `traffic`
 */
export function requireLoads({ engine, beside, ranks }: PlanOptions, parsed: ParsedPlanOptions): void {
  const where = parsed.where('beside');
  const has = planningEngines[engine].loads;
  for (const word of beside) {
    const name = nameIn(word);
    if (name === undefined) continue;
    if (!has.includes(name)) {
      const engines = enginesWith(({ loads }) => loads.includes(name));
      throw refuse('engine-lacks-load', { where, word, engine, has, engines });
    }
    if (name === 'traffic' && ranks === 1) throw refuse('traffic-of-one-rank', { where });
  }
}

/**
 * Series (combinations of algorithm, protocol, ...) that an engine measures for a command. Each is combined with every delay of
 * --skew, and each result is measured without concurrent load and with every load of --beside. The series without load is always
 * included, because results under load are compared with it. `leftOut`: combinations that the engine cannot measure.
 * @throws Refusal if the engine can measure no combination
 */
export function seriesOf(
  command: MeasuredCommand,
  options: PlanOptions,
): ReturnType<PlanningEngine['series']> {
  const { choices, leftOut } = planningEngines[options.engine].series(command, options);
  return {
    choices: choices
      .flatMap(skewed(options))
      .flatMap((choice) => [choice, ...options.beside.map(loaded(choice))]),
    leftOut,
  };
}

const loaded =
  ({ fixed, settings, ...others }: SeriesChoice) =>
  (word: string): SeriesChoice => ({
    ...others,
    fixed: { ...fixed, load: word },
    settings: { ...settings, [loadSetting]: word },
  });
