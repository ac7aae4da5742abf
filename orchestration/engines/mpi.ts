import { planningEngines } from '../../suites/engines/index.ts';
import { cpu } from './cpu.ts';
import type { Engine } from './engine.ts';
import { variableLines } from './gpu-engine.ts';
import { definedFacts, factsIn } from './nccl/facts.ts';

const planning = planningEngines.mpi;

const asked = (settings: Record<string, string>) =>
  planning.transports.map((transport) => ({ engine: planning.name, transport, options: {}, settings }));

/** Engine for the MPI library that is installed on the hosts, with its mpirun and mpicc. */
export const mpi: Engine = {
  ...cpu,
  name: 'mpi',
  async alternatives({ probed }, options, ask) {
    return ask === null ? probed : (await ask(asked(planning.settings(options)))).probed;
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
