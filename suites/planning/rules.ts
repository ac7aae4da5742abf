// Rules about options of a measurement that affect each other.
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type DtypeName,
  type EngineName,
  engineRow,
  type OpName,
  transportRow,
  transports,
} from '../../results/schema/index.ts';
import { keysOf } from '../engines/engine.ts';
import { commandsOf, enginesWith, offerOf, planningEngines } from '../engines/index.ts';
import { ncclOptionRows } from '../engines/nccl/options.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import { requireMedium, transportNamed, transportOptions } from '../transports/index.ts';
import type { MeasuredCommand, WorkloadPlanning } from '../workloads/index.ts';
import { requireCarriers } from './carriers.ts';
import { requireLoads } from './loads.ts';
import { requireLoadRead, requireOneSampling } from './sampling-plan.ts';
import { requireSkews } from './skews.ts';

/**
 * Default values of --graph and --aggregate, which queue several calls at once. Only collectives can be queued at once
 * (Engine::enqueue_all), so other workloads allow only these defaults.
 */
const batchOptions = { graph: ncclOptionRows.graph.default, aggregate: ncclOptionRows.aggregate.default };

/** Keys of common options that have no effect in any command of the workload. */
const unusedBy = ({ unusedOptions, needs }: WorkloadPlanning) => [
  ...unusedOptions,
  ...(needs.includes('collectives') ? [] : keysOf(batchOptions)),
];

/** Keys of options that have no effect in this command. The command rejects them, and its help leaves them out. */
export function keysWithoutEffect({ name, workload }: MeasuredCommand): readonly string[] {
  return [
    ...unusedBy(workload),
    ...(workload.unusedOptionsIn?.(name) ?? []),
    ...(workload.isReducing?.(name) === true ? [] : ['op']),
    ...(workload.isRooted?.(name) === true ? [] : ['root']),
  ];
}

/**
 * Checks all options of a measurement and adjusts them in place: "all" and "auto" are replaced by the engine's values, --graph and
 * --aggregate of a config file are reset for workloads that do not use them, and the workload may adjust its own options.
 * @throws Refusal if options contradict each other, or the engine or workload does not support them
 */
export function requirePlannable(
  command: MeasuredCommand,
  options: PlanOptions,
  parsed: ParsedPlanOptions,
): void {
  const { min, max } = options;
  if (options.sizes === null && min > max) throw refuse('min-above-max', { min, max });
  requireCarriers(command, options);
  requireOfEngine(command, options, parsed);
  requireOneSampling(options, parsed);
  requireLoadRead(options, parsed);
  requireLoads(options, parsed);
  requireSkews(command, options, parsed);
  requireInterfaceUsed(options, parsed);
  requireStreamsUsed(options, parsed);
  requireSocketBufferUsed(options, parsed);
  const { usual } = planningEngines[options.engine];
  requireMedium(options, options.transport ?? usual.here, parsed);
  const { name, workload } = command;
  const isQueued = workload.needs.includes('collectives');
  const unused = [...unusedBy(workload), ...(workload.unusedOptionsIn?.(name) ?? [])];
  const texts: ParsedOptions<string> = parsed;
  for (const key of unused) {
    const written = texts.typed(key);
    if (written === undefined) continue;
    const own = Object.keys(workload.options)
      .filter((option) => !unused.includes(option))
      .map((option) => `--${option}`);
    throw refuse('option-without-effect', { command: name, where: written.where, own });
  }
  // A config file may have options of other commands. Options without effect are reset, so that they are not recorded.
  if (!isQueued) Object.assign(options, batchOptions);
  workload.requirePlannable?.(name, options, parsed, options.ranks);
}

/**
 * Checks command and options against the engine's abilities. In `options` itself, "all" in a list is replaced by all values that
 * the engine supports.
 * @throws Refusal if the engine does not support the command or a value, or does not use an option that the user typed
 */
function requireOfEngine(
  { name: command, workload }: MeasuredCommand,
  options: PlanOptions,
  parsed: ParsedPlanOptions,
): void {
  const row = planningEngines[options.engine];
  const engine = row.name;
  if (!commandsOf(row).includes(command)) {
    const engines = enginesWith((other) => commandsOf(other).includes(command));
    throw refuse('engine-lacks-collective', { command, engine, has: commandsOf(row), engines });
  }
  const limited = <T extends DtypeName | OpName>(key: 'dtype' | 'op', asked: T[]): T[] => {
    const own: readonly string[] | undefined = key === 'dtype' ? workload.dtypes : undefined;
    const ofEngine = offerOf(row, workload)?.[key];
    const has = own?.filter((one) => ofEngine?.includes(one) ?? true) ?? ofEngine;
    if (has === undefined) return asked;
    const isAll = parsed.get(key)?.text.toLowerCase().split(',').includes('all');
    if (isAll === true) return asked.filter((one) => has.includes(one));
    const word = asked.find((one) => !has.includes(one));
    if (word === undefined) return asked;
    if (own !== undefined && !own.includes(word))
      throw refuse('workload-lacks-dtype', { where: parsed.where(key), word, command, has: own });
    const engines = enginesWith((other) => offerOf(other, workload)?.[key]?.includes(word) === true);
    throw refuse('engine-lacks-word', { where: parsed.where(key), word, engine, has, engines });
  };
  limitWords(workload, options);
  requireCollectiveNeeds(workload, options);
  options.dtype = limited('dtype', options.dtype);
  options.op = limited('op', options.op);
  requireEngineOptions(engine, parsed);
}

/**
 * Checks the values that the workload's collectives need.
 * @throws Refusal if the engine does not support one of these collectives, data types or reduction operators, or groups of ranks
 * that call a collective
 */
function requireCollectiveNeeds(
  { collectiveNeeds, positional = '' }: WorkloadPlanning,
  { engine, words }: PlanOptions,
): void {
  for (const { key, word } of collectiveNeeds?.(words) ?? []) {
    const has = planningEngines[engine].abilities.collectives?.[key];
    if (has === undefined || has.includes(word)) continue;
    const engines = enginesWith(({ abilities }) => {
      const all = abilities.collectives?.[key];
      return abilities.collectives !== undefined && (all === undefined || all.includes(word));
    });
    const where = `--${positional} ${words[positional] ?? ''}`;
    throw refuse('engine-lacks-word', { where, word, engine, has, engines });
  }
}

/**
 * Replaces "auto" and "all" in options of the workload (in `words` itself), if the option is an axis whose values the engine
 * limits. "all" becomes all values that the engine supports over all requested transports, except those in `onlyNamed`. "auto"
 * becomes the first of these.
 * @throws Refusal if the engine does not support a value, or not over one of the transports
 */
function limitWords(planning: WorkloadPlanning, { engine, transport, words }: PlanOptions): void {
  const row = planningEngines[engine];
  const { puts: _puts, ...plain } = row.abilities;
  const other = (transport ?? row.usual.here).find((name) => transportRow(name)?.takesPuts !== true);
  for (const name of Object.keys(planning.options)) {
    const all = offerOf(row, planning)?.[name];
    if (all === undefined) continue;
    const has = other === undefined ? all : (offerOf({ abilities: plain }, planning)?.[name] ?? []);
    const asked = (words[name] ?? '').split(',').map((word) => word.trim());
    const usual = has.filter((one) => planning.onlyNamed?.[name]?.includes(one) !== true);
    const found = asked.flatMap((word) =>
      word === 'all' ? usual : word === 'auto' ? usual.slice(0, 1) : word,
    );
    const word = found.find((one) => !has.includes(one));
    const where = `--${name}`;
    if (word !== undefined && other !== undefined && all.includes(word)) {
      const over = transports.flatMap(({ name: one, takesPuts }) => (takesPuts ? [one] : []));
      throw refuse('transport-lacks-word', { where, word, transport: other, has, over });
    }
    if (word !== undefined) {
      const engines = enginesWith((one) => offerOf(one, planning)?.[name]?.includes(word) === true);
      throw refuse('engine-lacks-word', { where, word, engine, has, engines });
    }
    words[name] = [...new Set(found)].join(',');
  }
}

/** Checks that the engine uses all engine-specific options that the user typed. @throws Refusal if it does not use one of them */
export function requireEngineOptions(engine: EngineName, parsed: ParsedPlanOptions): void {
  const row = planningEngines[engine];
  for (const owner of Object.values(planningEngines)) {
    const key = owner.options.find((one) => !row.options.includes(one) && parsed.typed(one) !== undefined);
    if (key === undefined) continue;
    const isChosen = parsed.has('engine');
    throw refuse('option-of-other-engine', {
      where: parsed.where(key),
      engine,
      owner: owner.name,
      isChosen,
    });
  }
}

/**
 * Checks that --socket-buffer, if typed, has an effect: the engine is part of collbench, and the user named the transport socket or
 * no transport.
 * @throws Refusal if the option has no effect
 */
function requireSocketBufferUsed({ transport: names, engine }: PlanOptions, parsed: ParsedPlanOptions): void {
  const option = parsed.typed('socketBuffer');
  if (option === undefined) return;
  const { isEmbedded } = engineRow({ engine });
  const what = isEmbedded === true ? `--transport ${names?.join(',') ?? ''}` : `--engine ${engine}`;
  if (isEmbedded === true && (names === null || names.includes('socket'))) return;
  throw refuse('socket-buffer-not-used', { where: option.where, what });
}

/**
 * Checks that --streams, if typed, has an effect on one of the named transports. Nothing is checked if the user named none.
 * @throws Refusal if it has none
 */
function requireStreamsUsed(options: PlanOptions, parsed: ParsedPlanOptions): void {
  const option = parsed.typed('streams');
  const { transport: names } = options;
  if (option === undefined || names === null) return;
  if (names.some((name) => transportOptions(name, options).streams !== undefined)) return;
  throw refuse('streams-not-used', { where: option.where, transports: names });
}

/**
 * Checks that one of the named transports uses the interface of --interface; with --in-process only socket does. Nothing is checked
 * if the user named no transport.
 * @throws Refusal if none of the transports uses it
 */
function requireInterfaceUsed({ transport: names, inProcess }: PlanOptions, parsed: ParsedPlanOptions): void {
  const option = parsed.typed('interface');
  if (option === undefined || names === null) return;
  // Plugins read the interface from an environment variable, which all rank threads of this process would share.
  const isUsed = (name: string): boolean =>
    transportNamed(name)?.takesInterface === true && !(inProcess && name !== 'socket');
  if (names.some(isUsed)) return;
  throw refuse('interface-not-used', { where: option.where, transports: names, inProcess });
}
