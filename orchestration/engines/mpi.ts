import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { cpu } from './cpu.ts';
import type { Engine } from './engine.ts';
import { variableLines } from './gpu-engine.ts';
import { definedFacts } from './gpu-hosts.ts';
import { factsIn } from './nccl/facts.ts';

const planning = planningEngines.mpi;

const asked = (settings: Record<string, string>) =>
  planning.transports.map((transport) => ({ engine: planning.name, transport, options: {}, settings }));

/**
 * Engine for the MPI library that is installed on this machine, with its mpirun and mpicc. Runs on several hosts are
 * refused.
 */
export const mpi: Engine = {
  ...cpu,
  name: 'mpi',
  engineHosts(command, options, hosts, isHere) {
    if (hosts.length > 1) throw refuse('engine-within-host', { engine: 'mpi', hosts: hosts.length });
    return cpu.engineHosts(command, options, hosts, isHere);
  },
  async alternatives({ transports }, options, ask) {
    return ask === null ? transports : (await ask(asked(planning.settings(options)))).probed;
  },
  async versions(_plan, [first]) {
    const facts = first === undefined ? {} : factsIn(first);
    return definedFacts([
      ['mpi', facts['mpi.version']],
      ['mpi.mpirun', facts['mpi.mpirun']],
      ['mpi.mpicc', facts['mpi.mpicc']],
    ]);
  },
  headLines(result) {
    const facts = factsIn(result);
    return [
      `engine mpi: ${facts['mpi.version'] ?? 'no MPI found'}`,
      `  started by ${facts['mpi.mpirun'] ?? 'no mpirun'}, compiled by ${facts['mpi.mpicc'] ?? 'no mpicc'}`,
    ];
  },
  settingLines: variableLines,
  async listing({ engines }, ask) {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const { probed } = await ask(asked({}));
    return {
      headline: factsIn({ probed })['mpi.version'] ?? 'the MPI of this machine: none found',
      transports: probed,
      sharesReasons: true,
    };
  },
};
