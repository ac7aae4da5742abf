import type { RunPlan, TransportPlan } from '../../results/schema/index.ts';
import { formatBytesShort, shortTransport } from '../wording.ts';
import type { Layout } from './columns.ts';
import { column, widthOf } from './columns.ts';
import { deviceLayout, narrowest } from './device-layout.ts';

const time = column('time', 'time', 9);
const spread = column('spread', '±', 6);
const p95 = column('p95', 'p95', 8);
const pipe = column('pipelined', 'pipe', 8);
const alg = column('algbw', 'algbw', 9);
const bus = column('busbw', 'busbw', 9);
const wrong = column('wrong', 'wrong', 5);

/** Widest of the values a column will hold; all of them follow from the plan. */
function widest(values: readonly string[], least = 1): number {
  return values.reduce((w, v) => Math.max(w, v.length), least);
}

export function mediumText(t: TransportPlan): string {
  return t.medium === 'emulated' ? 'EMULATED' : 'hardware';
}

export function layoutFor(plan: RunPlan, width: number): Layout {
  const size = column('size', 'size', widest(plan.points.map((p) => formatBytesShort(p.payloadBytes))));
  const names = plan.transports.map((t) => shortTransport(t.name));
  const transport = column('transport', 'over', Math.min(16, widest(names)), 'left');
  const medium = column('medium', 'medium', 8, 'left', 1);
  const members = plan.groups?.members.map(({ name }) => name) ?? [];
  const group = members.length === 0 ? [] : [column('group', 'group', Math.min(18, widest(members)), 'left')];
  const keys = [size, ...group];
  const shape = [
    column('count', 'count', widest(plan.points.map((p) => String(p.count)))),
    column('type', 'type', widest(plan.points.map((p) => p.dtype)), 'left'),
    column('op', 'op', widest(plan.points.map((p) => p.op ?? '-')), 'left', 1),
    column('root', 'root', widest(plan.points.map((p) => String(p.root ?? '-'))), 'right', 1),
  ];
  if (plan.engine === 'nccl') return deviceLayout(plan, width, { keys, shape, transport, medium, wrong });
  const repeated = plan.transports.length;
  if (width >= 100) {
    const everything = [time, spread, p95, pipe, alg, bus, wrong];
    const room = widthOf([...keys, ...shape]) + repeated * (widthOf(everything) + time.gap);
    if (room <= width) return { form: 'beside', lead: [...keys, ...shape], each: everything, tail: [] };
    const optional = [[], [pipe], [pipe, p95]];
    for (const without of optional) {
      const tail = everything.filter((c) => !without.includes(c));
      const lead = [...keys, ...shape, transport, medium];
      if (widthOf([...lead, ...tail]) <= width) return { form: 'stacked', lead, each: tail, tail: [] };
    }
  }
  const eight = { ...size, width: Math.max(size.width, Math.min(9, width - 71 - widthOf(group))) };
  const each = [time, spread, bus];
  const beside = widthOf([eight, ...group]) + repeated * (widthOf(each) + time.gap) + wrong.gap + wrong.width;
  if (beside <= width) return { form: 'beside', lead: [eight, ...group], each, tail: [wrong] };
  const narrow = [{ ...time, gap: 2 }, { ...spread, gap: 2 }, bus, wrong];
  for (const kept of [narrow, narrow.slice(0, 2).concat(wrong), narrow.slice(0, 1).concat(wrong)]) {
    const lead = [...keys, { ...transport, gap: 2 }, { ...medium, gap: 1 }];
    if (widthOf([...lead, ...kept]) <= width) return { form: 'stacked', lead, each: kept, tail: [] };
  }
  const short = { ...transport, width: 6, gap: 1 };
  return {
    form: 'stacked',
    lead: narrowest(keys, [short, { ...medium, gap: 1 }]),
    each: [
      { ...time, gap: 1 },
      { ...wrong, gap: 1 },
    ],
    tail: [],
  };
}
