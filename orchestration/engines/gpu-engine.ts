// Code that all engines which drive GPUs have in common.
import type { EngineName } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import type { transportOptions } from '../../suites/transports/index.ts';
import type { Engine } from './engine.ts';
import { gpuNodes } from './gpu-hosts.ts';
import { environmentIn, factsIn, gpusOfFacts, gpusText, type NcclFacts, versionsIn } from './nccl/facts.ts';

/**
 * Returns lines for `--explain` with the environment variables that the engine sets for a rank with this transport, as "
 * NAME=VALUE", sorted by name.
 */
export const variableLines: Engine['settingLines'] = (_transport, capability) =>
  environmentIn(capability).map(([name, value]) => `  ${name}=${value}`);

/** Properties in which engines that drive GPUs differ. `facts` are those of the probe of the first transport. */
interface GpuEngineParts {
  name: EngineName;
  engineHosts: Engine['engineHosts'];
  /** Returns name and version of the library, for the headline of the engine's section; null = the engine has no library. */
  library: ((facts: NcclFacts) => string) | null;
  /** Returns the lines for `--explain` before the line about the GPUs. `linesAfter` returns those after it; absent = none. */
  linesBefore(facts: NcclFacts): string[];
  linesAfter?(facts: NcclFacts): string[];
  /** Descriptions of transports in `collbench transports` that replace those of the probe, keyed by transport. */
  summaries: Readonly<Record<string, string>>;
  /** Returns the options with which a transport is probed as an alternative; absent = no options. */
  optionsFor?: typeof transportOptions;
}

/**
 * Makes an engine that drives GPUs, from the properties in which such engines differ. The caller may replace further
 * properties of the result.
 */
export function gpuEngine(parts: GpuEngineParts): Engine {
  const { name, engineHosts, library, linesBefore, linesAfter, summaries, optionsFor } = parts;
  const planning = planningEngines[name];
  return {
    name,
    engineHosts,
    devicesIn: (result) => gpusOfFacts(factsIn(result)).length,
    deviceNodes: gpuNodes,
    async alternatives({ transports }, options, ask) {
      if (ask === null) return transports;
      const settings = planning.settings(options);
      const others = planning.transports.filter((transport) => transport !== 'plugin');
      const { probed } = await ask(
        others.map((transport) => ({
          ...{ engine: name, transport, settings },
          options: optionsFor?.(transport, options) ?? {},
        })),
      );
      return probed;
    },
    networkOf: () => undefined,
    async versions(_plan, [first]) {
      const facts = first === undefined ? {} : factsIn(first);
      return versionsIn(facts, gpusOfFacts(facts));
    },
    headLines(result, _options, settings) {
      const facts = factsIn(result);
      const gpus = gpusOfFacts(facts);
      const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
      return [
        ...linesBefore(facts),
        `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
        ...(linesAfter?.(facts) ?? []),
        ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
      ];
    },
    settingLines: variableLines,
    async listing({ engines }, ask) {
      if (!engines.some((one) => one.name === name)) return null;
      const names = planning.transports;
      const { probed } = await ask(names.map((transport) => ({ engine: name, transport, options: {} })));
      const facts = factsIn({ probed });
      const gpus = gpusOfFacts(facts);
      const gpuText = gpus.length === 0 ? 'no GPU' : gpusText(gpus);
      return {
        headline: library === null ? gpuText : `${library(facts)}, ${gpuText}`,
        transports: probed.map((capability, i) => {
          const transport = names[i] ?? capability.name;
          return {
            ...capability,
            name: transport,
            summary: summaries[transport] ?? capability.summary,
          };
        }),
        sharesReasons: true,
      };
    },
  };
}
