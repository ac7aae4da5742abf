// Makes findings from options: probes the hosts, interprets the answers, runs the checks.
import type { TransportProbe } from '../../results/doctor/check.ts';
import { type ClusterDiagnosis, examine } from '../../results/doctor/examine.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { engineRow, type MachineFacts, transportNames } from '../../results/schema/index.ts';
import { enginesWith, planningEngines } from '../../suites/engines/index.ts';
import { fullName, transportOptions } from '../../suites/transports/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { ProbeRequest } from '../probe.ts';
import { type CheckedHost, examineMachines } from './machines.ts';

const nvidia = '0x10de';

const hasGpus = ({ files, nvml }: MachineFacts): boolean =>
  (nvml?.gpus.length ?? 0) > 0 ||
  Object.entries(files.text).some(
    ([path, text]) =>
      path.endsWith('/vendor') &&
      text.startsWith(nvidia) &&
      files.text[path.replace(/vendor$/, 'class')]?.startsWith('0x03'),
  );

/** Name of a transport without its path: "plugin:/a/b.so" is "plugin". */
const plainName = (name: string): string => name.replace(/:.*$/s, '');

/**
 * Returns the probes to run on a host: the requested transports, and on hosts with GPUs one probe of every GPU engine that the
 * requested transports do not use, over its usual transport between hosts.
 * @param facts hardware and software facts of the host
 */
function probesFor(
  facts: MachineFacts,
  transports: readonly string[],
  options: MeasureOptions,
): ProbeRequest[] {
  const named = transports.map((transport): ProbeRequest => {
    const [first] = enginesWith((engine) => engine.transports.includes(plainName(transport)));
    const engine = first === undefined ? undefined : planningEngines[first];
    return {
      transport,
      options: transportOptions(transport, options),
      ...(engine === undefined || engineRow({ engine: engine.name }).isEmbedded === true
        ? {}
        : { engine: engine.name, settings: engine.settings(options) }),
    };
  });
  const unasked = Object.values(planningEngines).filter(
    ({ devices, name }) => devices !== null && !named.some(({ engine }) => engine === name),
  );
  return [
    ...named,
    ...(hasGpus(facts) ? unasked : []).map(
      ({ name, usual, settings }): ProbeRequest => ({
        engine: name,
        transport: usual.betweenHosts,
        options: {},
        settings: settings(options),
      }),
    ),
  ];
}

/**
 * Checks names of transports, and returns them in their order; a plugin gets the absolute path of its file, which need not exist.
 * @throws Refusal if a name is no known transport, or `plugin` has no path
 */
export function requireTransports(names: readonly string[]): string[] {
  return names.map((word) => {
    const known = transportNames.find((one) => one === plainName(word));
    if (known !== undefined && (known === 'plugin') === word.startsWith('plugin:')) return fullName(word);
    const all = transportNames.map((one) => (one === 'plugin' ? 'plugin:PATH' : one));
    throw refuse('unknown-word', {
      ...{ where: '--transport', word, known: all },
      problem: 'there is no such transport',
    });
  });
}

const probedOf = ({ probed }: CheckedHost): TransportProbe[] =>
  probed.map(({ request, engine, capability }) => {
    const { available, reason, remedy, facts = {} } = capability;
    return { engine, transport: request.transport, available, reason, remedy, facts };
  });

/**
 * Runs the checks of `collbench doctor` on all hosts, or on this machine if no hosts are named. A host that cannot be reached is a
 * finding, not an error. Nothing is printed or stored.
 * @param transports transports that the user wants to use; null = none in particular, so no transport is probed by name
 * @param hashes true to read every library completely, for its SHA-256
 * @throws Refusal if hosts cannot be parsed
 */
export async function diagnose(
  options: MeasureOptions,
  transports: string[] | null,
  hashes: boolean,
): Promise<ClusterDiagnosis> {
  const named = transports ?? [];
  const { hosts, connections, untriedPairs } = await examineMachines(options, {
    plugins: named.flatMap((name) => (name.startsWith('plugin:') ? [name.slice('plugin:'.length)] : [])),
    hashes,
    probes: (facts) => probesFor(facts, named, options),
  });
  const view = {
    hosts: hosts.map((host) => ({ ...host, probed: probedOf(host) })),
    connections,
    untriedPairs,
  };
  const spansHosts = hosts.length > 1;
  return { ...examine(view, { transports, interface: options.interface, spansHosts }), view };
}
