// Rules for options of a measurement that need more than one of them.
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type CollectiveName,
  collectiveNames,
  type DtypeName,
  type EngineName,
  type OpName,
} from '../../results/schema/index.ts';
import { collectives, dtypeBytes } from '../collectives.ts';
import { collectivesOf, enginesWith, type PlanningEngine, planningEngines } from '../engines/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { Said } from '../options/said.ts';
import { nearestSizes } from '../sizes.ts';
import { transportNamed } from '../transports/index.ts';
import { requireOneSampling } from './sampling-plan.ts';

/** Groups, which need machines, change how is sampled. */
type SaidPlan = Said<keyof PlanOptions | 'groups'>;

/** @throws Refusal options that contradict each other, or that the engine or the collective does not have */
export function requirePlannable(command: CollectiveName, options: PlanOptions, said: SaidPlan): void {
  const { min, max } = options;
  if (options.sizes === null && min > max) throw refuse('min-above-max', { command, min, max });
  requireOfEngine(command, options, said);
  if (!collectives[command].hasInPlace && options.inPlace.includes(true)) {
    throw refuse('no-form-in-place', { command, where: said.where('inPlace') });
  }
  requireOneSampling(command, options, said);
  requireInterfaceUsed(options, said);
  requireWholeElements(command, options, said);
  if (options.ranks !== null) requireRoots(command, options, options.ranks);
  requireOfCollective(command, said);
}

/** @throws Refusal a root that is no rank */
export function requireRoots(command: CollectiveName, { root: roots }: PlanOptions, ranks: number): void {
  const root = roots === 'all' ? undefined : roots.find((one) => one >= ranks);
  if (!collectives[command].rooted || root === undefined) return;
  throw refuse('no-such-root', { command, root, ranks });
}

/** "all" of a list is all that the engine has. */
function requireOfEngine(command: CollectiveName, options: PlanOptions, said: SaidPlan): void {
  const row = planningEngines[options.engine];
  const engine = row.name;
  if (!row.collectives.includes(command)) {
    const engines = enginesWith(({ collectives: has }) => has.includes(command));
    throw refuse('engine-lacks-collective', { command, engine, has: collectivesOf(engine), engines });
  }
  const limited = <T extends DtypeName | OpName>(
    key: 'dtype' | 'op',
    asked: T[],
    of: (engine: PlanningEngine) => readonly T[],
  ): T[] => {
    const has = of(row);
    const isAll = said.get(key)?.text.toLowerCase().split(',').includes('all');
    if (isAll === true) return asked.filter((one) => has.includes(one));
    const word = asked.find((one) => !has.includes(one));
    if (word === undefined) return asked;
    const engines = enginesWith((other) => of(other).includes(word));
    throw refuse('engine-lacks-word', { command, where: said.where(key), word, engine, has, engines });
  };
  options.dtype = limited('dtype', options.dtype, ({ dtypes }) => dtypes);
  options.op = limited('op', options.op, ({ ops }) => ops);
  requireEngineOptions(engine, said);
}

/** @throws Refusal an option that has no effect with the engine */
export function requireEngineOptions(engine: EngineName, said: SaidPlan): void {
  const row = planningEngines[engine];
  for (const owner of Object.values(planningEngines)) {
    const key = owner === row ? undefined : owner.options.find((one) => said.typed(one) !== undefined);
    if (key === undefined) continue;
    const instead = row.instead[key] ?? null;
    const isChosen = said.has('engine');
    throw refuse('option-of-other-engine', {
      where: said.where(key),
      engine,
      owner: owner.name,
      instead,
      isChosen,
    });
  }
}

/** An interface that none of the transports goes over. */
function requireInterfaceUsed({ transport: names, inProcess }: PlanOptions, said: SaidPlan): void {
  const option = said.typed('interface');
  if (option === undefined || names === null) return;
  // Plugins are told by a variable, which threads of this process would share with it.
  const isUsed = (name: string): boolean =>
    transportNamed(name)?.takesInterface === true && !(inProcess && name !== 'socket');
  if (names.some(isUsed)) return;
  throw refuse('interface-not-used', { where: option.where, transports: names, inProcess });
}

/** Whole elements, in every data type asked for: rounding would measure another size than the one typed. */
function requireWholeElements(command: string, options: PlanOptions, said: SaidPlan): void {
  const widest = options.dtype.reduce((a, b) => (dtypeBytes[a] >= dtypeBytes[b] ? a : b));
  const width = dtypeBytes[widest];
  const { sizes, min, step, dtype: dtypes } = options;
  const typed: ['sizes' | 'min' | 'step', number[]][] =
    sizes !== null
      ? [['sizes', sizes]]
      : [
          ['min', [min]],
          ['step', step === null ? [] : [step]],
        ];
  for (const [option, some] of typed) {
    const bytes = some.find((one) => one % width !== 0);
    if (bytes === undefined) continue;
    const where = said.where(option);
    const near = nearestSizes(bytes, width);
    throw refuse('parts-of-elements', { command, where, option, bytes, widest, width, near, dtypes });
  }
}

/** A reduction or a root where the collective has none. */
function requireOfCollective(command: CollectiveName, said: SaidPlan): void {
  for (const [option, applies] of [
    ['op', 'reduces'],
    ['root', 'rooted'],
  ] as const) {
    const written = said.typed(option);
    if (collectives[command][applies] || written === undefined) continue;
    const others = collectiveNames.filter((name) => collectives[name][applies]);
    throw refuse('not-of-collective', { command, where: written.where, text: written.text, option, others });
  }
}
