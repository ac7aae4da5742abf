// Refusal messages about transports that do not exist, cannot run on this machine, or cannot connect the requested ranks.
import { cannotRunHere, invalid, type OptionPair } from '../wording.ts';
import { nextWord } from './words.ts';

/**
 * Reason why a host cannot use a transport or engine, and a remedy; both are texts from the agent on that host, and "" if the
 * agent has none.
 */
export interface UnavailableReason {
  reason: string;
  remedy: string;
  /**
   * Last lines printed by the process that tried to use the transport. `stack` is its call stack if it crashed or hung. Both are
   * usually empty.
   */
  words: readonly string[];
  stack: readonly string[];
}

export const unavailableLines = ({ reason, remedy, words, stack }: UnavailableReason): string[] => [
  ...(reason === '' ? [] : [reason]),
  ...stack.map((frame) => `stack: ${frame}`),
  ...words.map((line) => `output: ${line}`),
  ...(remedy === '' ? [] : [remedy]),
];

export const transportTexts = {
  'no-such-transport': invalid(
    (values: {
      transport: string;
      engine: string;
      /** Names of the transports that the chosen engine can use. */
      has: readonly string[];
      /** Names of the engines that can use the refused transport; empty if no engine knows it. */
      engines: readonly string[];
    }) => ({
      message: `--transport ${values.transport}: ${values.engines.length === 0 ? 'no such transport' : `the ${values.engine} engine has none`}`,
      details: [
        `allowed: ${values.has.join(', ')}${values.engines.length === 0 ? '' : `; ${values.transport} with --engine ${values.engines.join(', ')}`}`,
      ],
      ...(values.engines.length === 0
        ? { next: 'collbench transports', ...nextWord(values.transport, values.has) }
        : { next: 'collbench transports' }),
    }),
  ),
  'transport-lacks-workload': invalid(
    (values: {
      command: string;
      transport: string;
      /** The feature that the refused transport lacks, as text. */
      lack: string;
      /** Names of the engine's transports that have the feature. */
      can: readonly string[];
    }) => ({
      message: `${values.command} cannot run over ${values.transport}: it has no ${values.lack}`,
      details: values.can.length === 0 ? [] : [`allowed: ${values.can.join(', ')}`],
      next:
        values.can[0] === undefined
          ? `collbench ${values.command} --help`
          : { change: { transport: values.can[0] } },
    }),
  ),
  'transport-cannot-run': cannotRunHere(
    ({
      transport,
      host,
      reason,
      remedy,
      words,
      stack,
      can,
    }: UnavailableReason & {
      transport: string;
      /** Host on which the transport cannot run; null if there is only this machine. */
      host: string | null;
      /** Names of the transports that can run on that host. */
      can: readonly string[];
    }) => {
      const there = host === null ? 'here' : `on ${host}`;
      return {
        message: `transport ${transport} cannot run ${there}`,
        details: [
          ...unavailableLines({ reason, remedy, words, stack }),
          `Transports that can run ${there}: ${can.length === 0 ? 'none' : can.join(', ')}`,
        ],
        next: 'collbench transports --explain',
      };
    },
  ),
  'engine-cannot-run': cannotRunHere(
    ({
      engine,
      host,
      reason,
      remedy,
      words,
      stack,
      command,
    }: UnavailableReason & {
      engine: string;
      /** Host on which the engine cannot run; null if there is only this machine. */
      host: string | null;
      /** Command line with another engine that can run instead of the refused one; null if there is none. */
      command: `collbench ${string}` | null;
    }) => ({
      message: `the ${engine} engine cannot run ${host === null ? 'here' : `on ${host}`}`,
      details: [
        ...unavailableLines({ reason, remedy, words, stack }),
        ...(command === null ? [] : [`Without --engine ${engine} the cpu engine measures on any machine.`]),
      ],
      next: command ?? 'collbench transports --explain',
    }),
  ),
  'not-on-hardware': cannotRunHere(
    (values: {
      transport: string;
      host: string | null;
      /** Hardware that the transport needs and the machine does not have. */
      needs: string;
      /** Name of collbench's software device that can replace the hardware. */
      by: string;
    }) => ({
      message: `transport ${values.transport} cannot run on hardware ${values.host === null ? 'here' : `on ${values.host}`}`,
      details: [
        `it needs ${values.needs}: none found`,
        values.host === null
          ? `Without --medium hardware it runs emulated (${values.by}). See: collbench transports --explain`
          : `Its emulation ${values.by} joins processes of one machine. See: collbench transports --explain`,
      ],
      next: values.host === null ? { change: { medium: null } } : 'collbench transports --explain',
    }),
  ),
  'no-emulation': invalid(({ transport, can }: { transport: string; can: readonly string[] }) => ({
    message: `--medium emulated: nothing emulates the transport ${transport}`,
    details: [`allowed: ${can.join(', ')}`],
    next: { change: { medium: null } },
  })),
  'medium-unknown': cannotRunHere(({ transport, wanted }: { transport: string; wanted: string }) => ({
    message: `--medium ${wanted}: ${transport} does not say whether it is hardware or emulated`,
    details: ['A plugin says so by exporting collbenchNetEmulated; of others the medium is unknown.'],
    next: { change: { medium: null } },
  })),
  'not-emulated': cannotRunHere(({ transport }: { transport: string }) => ({
    message: `--medium emulated: ${transport} runs on hardware here`,
    next: { change: { medium: null } },
  })),
  'library-of-other-medium': invalid(({ one, other, library }: OptionPair & { library: string }) => ({
    message: `${one} ${library} and ${other} cannot be combined`,
    details: ['softntb is the emulation, any other library is hardware: leave out one of them'],
  })),
  'no-gpu': cannotRunHere(() => ({ message: 'no GPU was found', next: 'collbench transports' })),
  'transport-within-host': invalid(
    (values: {
      transport: string;
      hosts: number;
      /**
       * Reason why the transport connects ranks of one machine only: `gpus` or `processes` = it connects GPUs or processes of one
       * machine; otherwise the name of the software that replaces the adapter.
       */
      why: string;
      /** Names of the engine's transports that can connect several machines. */
      instead: readonly string[];
    }) => ({
      message: `--transport ${values.transport} cannot join ${values.hosts} hosts: ${
        values.why === 'gpus' || values.why === 'processes'
          ? `it joins ${values.why === 'gpus' ? 'GPUs' : values.why} of one machine`
          : `${values.why} joins processes of one machine; between machines it takes an adapter and --medium hardware`
      }`,
      details: [`allowed: ${values.instead.join(', ')}`],
      next: { change: { transport: values.instead[0] ?? null } },
    }),
  ),
  'nccl-versions-differ': cannotRunHere(
    ({ versions }: { versions: readonly { version: string; hosts: string }[] }) => ({
      message: 'the hosts have different versions of NCCL',
      details: [
        ...versions.map(({ version, hosts }) => `${version} on ${hosts}`),
        'name a place where all have the same: --nccl PATH',
      ],
    }),
  ),
  'socket-buffer-not-used': invalid(({ where, what }: { where: string; what: string }) => ({
    message: `${where} has no effect with ${what}`,
    details: ['it is for --transport socket with --engine cpu: leave it out'],
  })),
  'streams-not-used': invalid(({ where, transports }: { where: string; transports: readonly string[] }) => ({
    message: `${where} has no effect with --transport ${transports.join(',')}`,
    details: ['it is for socket: leave it out'],
    next: { change: { streams: null } },
  })),
  'interface-not-used': invalid(
    (values: { where: string; transports: readonly string[]; inProcess: boolean }) => ({
      message: `${values.where} has no effect with --transport ${values.transports.join(',')}`,
      details: [
        `it is for socket, ucx, ib, ibgda and plugins${values.inProcess ? ', of which plugins need processes for ranks' : ''}: leave it out`,
      ],
      next: { change: { interface: null } },
    }),
  ),
  'no-such-interface': cannotRunHere(
    ({ name, host, has }: { name: string; host: string; has: readonly string[] }) => ({
      message: `--interface ${name}: no such network interface on ${host}`,
      details: [`allowed: ${has.join(', ')}`],
      next: { change: { interface: null } },
    }),
  ),
  'plugin-connections': cannotRunHere(
    (values: {
      plugin: string;
      host: string;
      device: string;
      ranks: number;
      needed: number;
      most: number;
      /** Highest number of ranks for which the plugin's device has enough connections; below 2, socket is suggested instead. */
      fewer: number;
    }) => ({
      message: `${values.plugin} cannot run here: ${values.ranks} ranks need ${values.needed} connections each way, its device ${values.device} has ${values.most} (maxComms)`,
      details: [
        `on ${values.host}; allowed: at most ${values.fewer} ${values.fewer === 1 ? 'rank' : 'ranks'}`,
      ],
      next: { change: values.fewer < 2 ? { transport: 'socket' } : { ranks: String(values.fewer) } },
    }),
  ),
  'no-such-link': invalid(
    ({ link, why, allowed, instead }: { link: string; why: string; allowed: string; instead: string }) => ({
      message: `--link ${link}: ${why}`,
      details: [`allowed: ${allowed}`],
      next: { change: { link: instead } },
    }),
  ),
};
