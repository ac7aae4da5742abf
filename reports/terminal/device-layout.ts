import type { RunPlan } from '../../results/schema/index.ts';
import type { Column, Layout } from './columns.ts';
import { column, widthOf } from './columns.ts';

/** Columns that every layout of a plan has in common. */
export interface CommonColumns {
  /** Size, and the group of ranks where there are some. */
  keys: Column[];
  shape: Column[];
  transport: Column;
  medium: Column;
  wrong: Column;
}

const latency = column('latency', 'latency', 9);
const spread = column('spread', '±', 6);

const pipe = column('pipelined', 'pipe', 8);
const launch = column('launch', 'launch', 8);
const alg = column('algbw', 'algbw', 9);
const bus = column('busbw', 'busbw', 9);
const chosen = column('chosen', 'algo/proto', 11, 'left');
const mark = column('evidence', '', 1, 'left', 1);

/** What is given up first stands last; latency, pipelined time and bus bandwidth stay. */
const stackedForms: Column[][] = [
  [latency, spread, pipe, launch, alg, bus, chosen, mark],
  [latency, spread, pipe, launch, bus, chosen, mark],
  [latency, spread, pipe, launch, bus, mark],
  [latency, spread, pipe, bus, mark],
  [latency, pipe, bus, mark],
  [latency, pipe, mark],
  [latency, pipe],
];
const besideForms: Column[][] = [
  [latency, spread, pipe, launch, bus, chosen, mark],
  [latency, spread, pipe, launch, bus, mark],
  [latency, spread, pipe, bus, mark],
  [latency, pipe, bus, mark],
  [latency, pipe, bus],
];

/** Rows of the engine nccl: latency on the GPUs, pipelined time and launch cost stand apart. */
export function deviceLayout(plan: RunPlan, width: number, common: CommonColumns): Layout {
  const { keys, shape, transport, medium, wrong } = common;
  const repeated = plan.transports.length;
  if (width >= 100) {
    const everything = [...(stackedForms[0] ?? []), wrong];
    const room = widthOf([...keys, ...shape]) + repeated * (widthOf(everything) + latency.gap);
    if (room <= width) return { form: 'beside', lead: [...keys, ...shape], each: everything, tail: [] };
    for (const lead of [
      [...keys, ...shape, transport, medium],
      [...keys, transport, medium],
    ]) {
      for (const form of stackedForms.slice(0, 2)) {
        const each = [...form, wrong];
        if (widthOf([...lead, ...each]) <= width) return { form: 'stacked', lead, each, tail: [] };
      }
    }
  }
  for (const each of besideForms) {
    const room = widthOf(keys) + repeated * (widthOf(each) + latency.gap) + wrong.gap + wrong.width;
    if (room <= width) return { form: 'beside', lead: keys, each, tail: [wrong] };
  }
  const tight = { ...medium, gap: 1 };
  for (const over of [transport, { ...transport, width: Math.min(6, transport.width), gap: 1 }]) {
    for (const form of stackedForms.slice(1)) {
      const lead = [...keys, over, tight];
      const each = [...form, wrong];
      if (widthOf([...lead, ...each]) <= width) return { form: 'stacked', lead, each, tail: [] };
    }
  }
  const short = { ...transport, width: 6, gap: 1 };
  const each = [
    { ...latency, gap: 1 },
    { ...wrong, gap: 1 },
  ];
  return { form: 'stacked', lead: narrowest(keys, [short, tight]), each, tail: [] };
}

/** Where not all fits, the medium of a group's rows is told in the head alone. */
export function narrowest(keys: readonly Column[], [transport, medium]: [Column, Column]): Column[] {
  const [size, group] = keys as [Column, Column | undefined];
  return group === undefined ? [size, transport, medium] : [size, { ...group, width: 6, gap: 1 }, transport];
}
