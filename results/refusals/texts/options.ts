// Refusal messages about options that contradict each other, or have no effect.
import { formatCount, formatDuration, plural, sizeFlag } from '../../units.ts';
import { cannotRunHere, invalid, type OptionPair } from '../wording.ts';

const cannotBeCombined = ({ one, other }: OptionPair, ...details: string[]) => ({
  message: `${one} and ${other} cannot be combined`,
  details,
});

export const optionTexts = {
  'sizes-twice': invalid((two: OptionPair) =>
    cannotBeCombined(two, 'allowed: --min and --max with --factor or --step, or --sizes alone'),
  ),
  'hosts-twice': invalid((two: OptionPair) => cannotBeCombined(two, 'allowed: one of them')),
  'min-above-max': invalid(({ min, max }: { min: number; max: number }) => ({
    message: `--min ${sizeFlag(min)} is above --max ${sizeFlag(max)}`,
    details: ['allowed: min <= max'],
    // Without --min the sweep of sizes starts at 8 bytes.
    next: { change: max < 8 ? { min: null, max: null } : { min: null } },
  })),
  'parts-of-elements': invalid(
    (values: {
      /** The option as typed, with its dashes, which may be its short form. `option` is its long name without dashes. */
      where: string;
      option: string;
      bytes: number;
      /** The requested data type with the largest elements. `width` is the size of an element in bytes. */
      widest: string;
      width: number;
      /** Sizes in bytes that consist of whole elements and are nearest to the refused size: "4 or 8". */
      near: string;
    }) => ({
      message: `${values.where} ${sizeFlag(values.bytes)}: not a whole number of ${values.widest} elements (${values.width} bytes each)`,
      details: [`allowed: multiples of ${values.width}; nearest: ${values.near}`],
      // A step of a single element would give far more sizes than are useful, so --step is removed.
      next: {
        change: {
          [values.option]: values.option === 'step' ? null : (values.near.split(' ').at(-1) ?? null),
        },
      },
    }),
  ),
  'no-such-root': invalid(({ root, ranks }: { root: number; ranks: number }) => ({
    message: `--root ${root}: there is no such rank among ${ranks}`,
    details: [`allowed: ${ranks === 1 ? '0' : `0 to ${ranks - 1}`}, or all`],
    next: { change: { root: '0' } },
  })),
  'workload-lacks-skew': invalid(
    ({ where, command, commands }: { where: string; command: string; commands: readonly string[] }) => ({
      message: `${where}: ${command} has no operation for which ranks can be late`,
      details: [`allowed with ${commands.join(', ')}`],
      next: { change: { skew: null, 'skew-rank': null } },
    }),
  ),
  'no-such-skew-rank': invalid(({ rank, ranks }: { rank: number; ranks: number }) => ({
    message: `--skew-rank ${rank}: there is no such rank among ${ranks}`,
    details: [`allowed: 0 to ${ranks - 1}, all or random; with --groups a rank of each group`],
    next: { change: { 'skew-rank': null } },
  })),
  'skew-of-one-rank': invalid(() => ({
    message: '--skew: one rank has no other that could be earlier',
    details: ['allowed: 2 ranks or more'],
    next: { change: { ranks: '2' } },
  })),
  'skew-rank-alone': invalid(({ where }: { where: string }) => ({
    message: `${where} has no effect without --skew`,
    details: ['allowed: with a time above 0, such as --skew 250us'],
    next: { change: { skew: '250us' } },
  })),
  'no-form-in-place': invalid(({ command, where }: { command: string; where: string }) => ({
    message: `${where}: ${command} has no form in place`,
    details: ['each rank would overwrite what a peer still has to get'],
    next: { change: { 'in-place': 'no' } },
  })),
  'option-without-effect': invalid(
    ({ command, where, own }: { command: string; where: string; own: readonly string[] }) => ({
      message: `${where} has no effect with ${command}`,
      details: ['leave it out', ...(own.length === 0 ? [] : [`${command} has ${own.join(', ')}`])],
      next: `collbench ${command} --help`,
    }),
  ),
  'one-engine': invalid(({ command, where, text }: { command: string; where: string; text: string }) => ({
    message: `${where} ${text}: several engines are for the command line of one measurement`,
    details: ['allowed here: one engine'],
    next: `collbench ${command} ${where} ${text}`,
  })),
  'several-engines-with': invalid(({ engines, where }: { engines: readonly string[]; where: string }) => ({
    message: `${where} cannot be combined with ${engines.length} engines: each engine has a run of its own`,
    details: [`measure ${engines.join(' and ')} one by one, or use --json`],
    next: { change: { engine: engines[0] ?? null } },
  })),
  'not-of-collective': invalid(
    (values: {
      command: string;
      where: string;
      text: string;
      option: 'op' | 'root';
      /** Names of the collectives that have the refused option. */
      others: readonly string[];
    }) => ({
      message: `${values.where} ${values.text}: ${values.command} ${values.option === 'op' ? 'reduces nothing' : 'has no root'}`,
      details: [`--${values.option} applies to ${values.others.join(', ')}: leave it out`],
    }),
  ),
  'too-many-sizes': invalid(({ most }: { most: number }) => ({
    message: `the sweep has more than ${formatCount(most)} sizes`,
    details: ['use a larger --factor or --step, or name the sizes with --sizes'],
  })),
  'nothing-to-measure': invalid(({ reason }: { reason: string | null }) => ({
    message: `nothing to measure: ${reason ?? 'the sweep has no sizes'}`,
    details: ['use a larger --min, or fewer --ranks'],
  })),
  'budget-too-short': cannotRunHere(
    (values: {
      /** The refused time limit, in the form in which the user can type it after --budget. */
      budget: string;
      cells: number;
      minS: number;
      enough: string;
      /**
       * Largest value of --max with which the run fits into the time limit; null if no size fits, the sizes are listed with
       * --sizes, or the command has no --max.
       */
      size: string | null;
    }) => ({
      message: `--budget ${values.budget} is too short for ${plural(values.cells, 'configuration')}: one launch of each takes about ${formatDuration(values.minS)}`,
      details: [`fits: --budget ${values.enough}${values.size === null ? '' : `, or --max ${values.size}`}`],
      next: { change: values.size === null ? { budget: values.enough } : { max: values.size } },
    }),
  ),
  'samples-twice': invalid(({ one, other, text }: OptionPair & { text: string }) => ({
    message: `${one} ${text} and ${other} both set the number of samples`,
    details: ['allowed: --iters for a fixed number, or --precision with --budget'],
    next: { change: { iters: null } },
  })),
  'precision-of-groups': invalid(({ where, text }: { where: string; text: string }) => ({
    message: `${where} ${text}: with --groups the number of samples is fixed`,
    details: ['groups that work at the same time must do the same: leave it out, or use --iters'],
    next: { change: { precision: null, budget: null } },
  })),
  'load-not-read': invalid(({ where, other }: { where: string; other: string }) => ({
    message: `${where} needs samples of the system load, and ${other} is off`,
    details: [`leave out ${other}`],
    next: { change: { 'sample-interval': null } },
  })),
  'budget-without-precision': invalid(({ one, other, text }: OptionPair & { text: string }) => ({
    message: `${one} ${text} has no effect where ${other} is off`,
    details: ['it is the time for reaching a precision: leave out one of them'],
    next: { change: { precision: null } },
  })),
};
