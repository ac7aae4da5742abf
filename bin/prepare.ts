// From options to a plan: asks the agent what can run here, so that nothing starts which cannot.
import { randomInt } from 'node:crypto';
import { bindingText, type Ground } from '../orchestration/hosts/binding.ts';
import type { CollectiveName, Inventory, RunPlan, TransportPlan } from '../results/schema/index.ts';
import { makePlan } from '../suites/plan.ts';
import { CommandError } from './exit.ts';
import { groupsPlanOf } from './groups.ts';
import type { Nodes } from './nodes.ts';
import type { Options } from './options/index.ts';
import { prepareCpu } from './prepare-cpu.ts';
import { prepareNccl } from './prepare-nccl.ts';
import { sizeRule } from './read-options.ts';
import { samplingOf } from './sampling.ts';
import { requireLink } from './transport-options.ts';

/** What an engine makes of the options on these machines. */
export interface Setting {
  /** Of this machine, or of the first host. */
  inventory: Inventory;
  /** Of all hosts; absent for this machine alone. */
  inventories?: Record<string, Inventory>;
  hosts?: RunPlan['hosts'];
  launcher?: string;
  ranks: number;
  transports: TransportPlan[];
  /** Words of the engine for all launches. */
  settings: Record<string, string>;
  /** A launch per series tells what the engine chooses. */
  attest: boolean;
  /** For run.json: libraries, driver. */
  versions: Record<string, string>;
  /** Worth saying before the run: which rank goes where. */
  notes?: string[];
  /** Of this machine alone, for binding ranks. */
  ground?: Ground;
  /** Asked for and left out, with the reason. */
  leftOut: string[];
  /** @throws CommandError the buffers do not fit */
  requireMemory(plan: RunPlan): void;
}

export type Prepared = { plan: RunPlan; inventories: Record<string, Inventory> } & Pick<
  Setting,
  'versions' | 'leftOut' | 'notes'
>;

/**
 * The plan of one measuring command.
 * @throws CommandError when something asked for cannot run, before anything was started or written
 */
export async function prepare(
  collective: CollectiveName,
  options: Options,
  words: readonly string[],
  nodes: Nodes,
): Promise<Prepared> {
  requireLink(options.link);
  const setting = boundHere(await settingOf(collective, options, nodes), nodes);
  const plan = planOf(collective, options, words, setting);
  setting.requireMemory(plan);
  if (plan.points.length === 0) {
    const reason = plan.skipped[0]?.reason ?? 'the sweep has no sizes';
    throw new CommandError(`nothing to measure: ${reason}`, ['Next: a larger --min, or fewer --ranks']);
  }
  const {
    inventory,
    inventories = { [inventory.hostname]: inventory },
    versions,
    leftOut,
    notes = [],
  } = setting;
  return { plan, inventories, versions, leftOut, notes };
}

async function settingOf(collective: CollectiveName, options: Options, nodes: Nodes): Promise<Setting> {
  if (nodes.hosts.length > 0) {
    const { prepareHosts } = await import('./prepare-hosts.ts');
    return prepareHosts(collective, options, nodes);
  }
  return options.engine === 'nccl' ? prepareNccl(collective, options) : prepareCpu(options);
}

/** Ranks of this machine where `--bind` says; prepare-hosts.ts does it for hosts. */
function boundHere(setting: Setting, nodes: Nodes): Setting {
  const { ground, ranks: count, inventory } = setting;
  if (ground === undefined) return setting;
  const ranks = Array.from({ length: count }, (_, rank) => rank);
  const host = { name: inventory.hostname, ranks };
  const places = nodes.bind({ ...host, iface: null }, null, ground);
  if (places === null) return setting;
  const hosts = [{ ...host, places }];
  return { ...setting, hosts, notes: [...(setting.notes ?? []), ...bindingText(hosts)] };
}

function planOf(
  collective: CollectiveName,
  options: Options,
  words: readonly string[],
  setting: Setting,
): RunPlan {
  const { inventory, hosts, launcher, ranks, transports, settings, attest } = setting;
  const here = { name: inventory.hostname, ranks: Array.from({ length: ranks }, (_, rank) => rank) };
  const groups = groupsPlanOf(collective, options, hosts ?? [here]);
  try {
    return makePlan({
      command: ['collbench', collective, ...words],
      collective,
      engine: options.engine,
      settings,
      algorithm: options.algorithm,
      ranks,
      host: inventory.hostname,
      ...(hosts === undefined ? {} : { hosts }),
      ...(groups === undefined ? {} : { groups }),
      ...(launcher === undefined ? {} : { launcher }),
      inProcess: options.inProcess,
      transports,
      dtypes: options.dtype,
      ops: options.op,
      roots: options.root,
      inPlace: options.inPlace,
      sizes: sizeRule(options),
      metricsIntervalUs: options.sampleInterval,
      sampling: samplingOf(
        options,
        {
          ranks,
          transports: transports.length,
          hosts: hosts?.length ?? 1,
          hasGroups: groups !== undefined,
          inProcess: options.inProcess,
        },
        options.seed ?? randomInt(2 ** 32),
        attest,
      ),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(error.message, ['Next: a larger --factor or --step, or --sizes']);
  }
}
