// What works beside a measurement: every load is a series of its own, interleaved with the quiet one.
import { refuse } from '../../results/refusals/refusal.ts';
import { loadOf, loadSetting } from '../../results/schema/index.ts';
import { enginesWith, planningEngines, type SeriesChoice } from '../engines/index.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';

const nameIn = (word: string) => loadOf(word)?.name;

/** @throws Refusal a load that the engine does not have */
export function requireLoads({ engine, beside, ranks }: PlanOptions, said: ParsedPlanOptions): void {
  const where = said.where('beside');
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
 * The series of an engine, each in quiet first and then beside each load. Loads are always compared with quiet figures of
 * the same run.
 */
export function seriesOf(
  command: string,
  options: PlanOptions,
): { choices: SeriesChoice[]; leftOut: string[] } {
  const { choices, leftOut } = planningEngines[options.engine].series(command, options);
  return { choices: choices.flatMap((choice) => [choice, ...options.beside.map(loaded(choice))]), leftOut };
}

const loaded =
  ({ suffix, settings, ...others }: SeriesChoice) =>
  (word: string): SeriesChoice => ({
    ...others,
    suffix: suffix === '' ? `@${word}` : `${suffix}+${word}`,
    settings: { ...settings, [loadSetting]: word },
  });
