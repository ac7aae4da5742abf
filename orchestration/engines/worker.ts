// Engines that start Python workers: what their probes say.
import { type EngineName, engineRow } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { cpu } from './cpu/index.ts';
import type { Engine } from './engine.ts';
import { told } from './gpu-party.ts';
import { factsIn } from './nccl/facts.ts';

/** @param modules whose versions are recorded, the framework first */
export function workerEngine(name: EngineName, modules: readonly [string, ...string[]]): Engine {
  const planning = planningEngines[name];
  const { title } = engineRow({ engine: name });
  const asked = (settings: Record<string, string>) =>
    planning.transports.map((transport) => ({ engine: name, transport, options: {}, settings }));
  return {
    ...cpu,
    name,
    async alternatives({ transports }, options, ask) {
      return ask === null ? transports : (await ask(asked(planning.settings(options)))).probed;
    },
    async versions(_plan, [first]) {
      const facts = first === undefined ? {} : factsIn(first);
      return told([
        ...modules.map((module) => [module, facts[`${name}.module.${module}`]] as const),
        ['python', facts[`${name}.python`]],
        ['python.path', facts[`${name}.path`]],
      ]);
    },
    headLines(result) {
      const facts = factsIn(result);
      const version = facts[`${name}.module.${modules[0]}`];
      return [
        `engine ${name}: ${title} ${version ?? 'not found'}, Python ${facts[`${name}.python`] ?? 'not found'}${facts[`${name}.path`] === undefined ? '' : ` of ${facts[`${name}.path`]}`}`,
      ];
    },
    settingLines: () => [],
    async listing({ engines }, ask) {
      if (!engines.some((one) => one.name === name)) return null;
      const { probed } = await ask(asked({}));
      return { headline: `training by ${title}, Python workers`, transports: probed, sharesReasons: true };
    },
  };
}
