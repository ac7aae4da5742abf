// Our side on real GPUs: one plan and one session per round, through the same machinery as a measuring command.
import { randomInt } from 'node:crypto';
import { agentPath } from '../../orchestration/build.ts';
import { probe } from '../../orchestration/probe.ts';
import { runSession, type SessionOptions } from '../../orchestration/session.ts';
import { asNcclTests, deriveCell } from '../../results/derive/index.ts';
import type { BlockRecord, Inventory, RunPlan } from '../../results/schema/index.ts';
import { wrap } from '../../results/text.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { makePlan } from '../../suites/plan.ts';
import { schedule } from '../../suites/schedule.ts';
import { CommandError } from '../exit.ts';
import type { CrosscheckOptions } from './options.ts';
import { type OurEngine, type OurFigures, type OurRequest, samples } from './ours.ts';
import { iterations, warmup } from './theirs.ts';

const transport = 'p2p';

function settingsFor({ nccl, gpus }: CrosscheckOptions): Record<string, string> {
  return {
    ...(nccl === null ? {} : { nccl }),
    ...(gpus === null ? {} : { gpus: gpus.join(',') }),
  };
}

/** What our ranks would have set, without the variables that only make NCCL talk. */
function environmentIn(facts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([name]) => /^env\.NCCL_(?!DEBUG)/.test(name))
      .map(([name, value]) => [name.slice('env.'.length), value]),
  );
}

/**
 * Asks what can run here.
 * @throws CommandError when the engine cannot run on these GPUs with this library
 */
export async function openOurs(options: CrosscheckOptions): Promise<OurEngine> {
  const settings = settingsFor(options);
  const { inventory, probed } = await probe(agentPath(), [
    { engine: 'nccl', transport, options: {}, settings },
  ]);
  const [found] = probed;
  if (found === undefined || !found.available) {
    throw new CommandError('engine nccl cannot run here', [
      ...[found?.reason ?? '', found?.remedy ?? '']
        .filter((text) => text !== '')
        .flatMap((text) => wrap(`  ${text}`, 80)),
      'Next: collbench transports --explain',
    ]);
  }
  const { facts = {}, medium, detail } = found;
  const gpus = options.gpus ?? Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, gpu) => gpu);
  if (gpus.length < 2) {
    throw new CommandError(`a crosscheck needs two GPUs or more, there is ${gpus.length}`, [
      '  allowed: --gpus with two numbers or more',
    ]);
  }
  const launched = { ...settings, gpus: gpus.join(',') };
  const planned = (request: OurRequest) =>
    planFor(request, options, inventory, {
      ranks: gpus.length,
      settings: launched,
      over: { name: transport, medium, detail, options: {} },
    });
  return {
    gpus,
    medium,
    library: { path: facts['nccl.path'] ?? '', version: facts['nccl.version'] ?? '' },
    environment: environmentIn(facts),
    measure: (request, signal) => measure(planned(request), { agentPath: agentPath(), signal }),
  };
}

interface Where {
  ranks: number;
  settings: Record<string, string>;
  over: RunPlan['transports'][number];
}

/** Pipelined samples of as many calls as nccl-tests takes, and as many calls alone. */
export function planFor(
  request: OurRequest,
  options: Pick<CrosscheckOptions, 'timeoutS'>,
  inventory: Inventory,
  where: Where,
): RunPlan {
  const { collective, sizes, dtype, op, root, round } = request;
  return makePlan({
    command: ['collbench', 'crosscheck', collective],
    collective,
    engine: 'nccl',
    settings: where.settings,
    algorithm: null,
    ranks: where.ranks,
    host: inventory.hostname,
    inProcess: false,
    transports: [where.over],
    dtypes: [dtype],
    ops: op === null ? [] : [op],
    roots: root === null ? [] : [root],
    inPlace: [false],
    sizes: { kind: 'list', sizes },
    sampling: {
      launches: 1,
      warmup,
      iterations: samples * iterations,
      batch: iterations,
      check: samples * iterations,
      timeoutS: options.timeoutS,
      seed: (randomInt(2 ** 31) + round) >>> 0,
    },
  });
}

/** @throws FailureError what the session told as its failure */
export async function measure(plan: RunPlan, options: SessionOptions): Promise<Map<number, OurFigures>> {
  const blocks: BlockRecord[] = [];
  for await (const event of runSession(plan, schedule(plan), options)) {
    if (event.type === 'block') blocks.push(event.record);
    if (event.type === 'failure') throw new FailureError(event.failure);
  }
  return figuresOf(plan, blocks);
}

/** By payload; points without pipelined samples are missing. */
export function figuresOf(plan: RunPlan, blocks: readonly BlockRecord[]): Map<number, OurFigures> {
  const figures = new Map<number, OurFigures>();
  for (const [point, { payloadBytes }] of plan.points.entries()) {
    const own = blocks.filter((block) => block.point === point);
    const pipelinedNs = asNcclTests(own);
    const cell = deriveCell(plan, point, 0, own);
    if (pipelinedNs === null || cell.status !== 'ok') continue;
    figures.set(payloadBytes, {
      pipelinedNs,
      isolatedNs: cell.isolated?.medianNs ?? null,
      launchNs: cell.launchCostNs?.medianNs ?? null,
      wrongElements: cell.verification.wrongElements,
    });
  }
  return figures;
}
