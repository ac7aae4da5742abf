import { planningEngines } from '../../../suites/engines/index.ts';
import { cpu } from '../cpu/index.ts';
import type { Engine } from '../engine.ts';
import { told } from '../gpu-party.ts';
import { factsIn } from '../nccl/facts.ts';

const planning = planningEngines.torch;

/** PyTorch on any machine whose Python has it. */
export const torch: Engine = {
  ...cpu,
  name: 'torch',
  async alternatives({ transports }, options, ask) {
    if (ask === null) return transports;
    const settings = planning.settings(options);
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'torch', transport, options: {}, settings })),
    );
    return probed;
  },
  async versions(_plan, [first]) {
    const facts = first === undefined ? {} : factsIn(first);
    return told([
      ['torch', facts['torch.module.torch']],
      ['torchvision', facts['torch.module.torchvision']],
      ['python', facts['torch.python']],
      ['python.path', facts['torch.path']],
    ]);
  },
  headLines(result) {
    const facts = factsIn(result);
    const version = facts['torch.module.torch'];
    return [
      `engine torch: ${version === undefined ? 'PyTorch not found' : `PyTorch ${version}`}, Python ${facts['torch.python'] ?? 'not found'} of ${facts['torch.path'] ?? '(nowhere)'}`,
    ];
  },
  settingLines: () => [],
  async listing({ engines }, ask) {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'torch', transport, options: {} })),
    );
    return { headline: 'training by PyTorch, Python workers', transports: probed, sharesReasons: true };
  },
};
