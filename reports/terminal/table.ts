import pc from 'picocolors';
import {
  type CellRecord,
  fileKeyOf,
  type GroupPlan,
  isStillMeasured,
  type PointPlan,
  type TransportPlan,
} from '../../results/schema/index.ts';
import { workloadRowOf } from '../rows.ts';
import { isOk, titleOfPoint } from '../series.ts';
import { shortTransport } from '../wording.ts';
import { briefFootLines } from './brief-foot.ts';
import { columnName, columnNames } from './column-names.ts';
import { fit, headLine, line, widthOf } from './columns.ts';
import { figureTexts } from './figures.ts';
import { footLines } from './foot.ts';
import { gridOf, gridTable } from './grid.ts';
import { headLines } from './head.ts';
import { axisText, layoutFor, mediumText, xShort } from './layout.ts';

import type { LiveTable, LiveTableOptions } from './live.ts';
import { pairsTable } from './pairs.ts';

/** A group of ranks whose results are a row of the table; null if the ranks are not divided into groups. */
type RankGroup = GroupPlan | null;

export function createTable(options: LiveTableOptions): LiveTable {
  if (options.plan.pairs !== undefined) return pairsTable(options);
  const grid = gridOf(options.plan, Math.max(40, options.columns));
  return grid === null ? tableOfSizes(options) : gridTable(options, grid);
}

function tableOfSizes(options: LiveTableOptions): LiveTable {
  const { plan } = options;
  const width = Math.max(40, options.columns);
  const colours = pc.createColors(options.color);
  const layout = layoutFor(plan, width);
  const keyOf = (point: PointPlan) => fileKeyOf(workloadRowOf(plan, point), point.axes);
  const groups = new Set(plan.points.map(keyOf));
  const members: readonly RankGroup[] = plan.groups?.members ?? [null];
  let lastGroup = '';

  const heads = (): string[] => {
    const dim = (text: string) => colours.dim(text);
    const named = [...layout.lead, ...layout.each, ...layout.tail];
    if (layout.form === 'stacked') return [dim(headLine(named))];
    const left = widthOf(layout.lead);
    const one = layout.each.reduce((sum, c) => sum + c.gap + c.width, 0);
    const over = plan.transports.map((t) => {
      const text = shortTransport(t.name) + (t.medium === 'emulated' ? '  EMULATED' : '');
      return fit(text, one - 2).padStart(one);
    });
    const columns = headLine(layout.lead).padEnd(left);
    const repeated = plan.transports.map(() =>
      layout.each.map((c) => ' '.repeat(c.gap) + c.head.padStart(c.width)).join(''),
    );
    const tail = layout.tail.map((c) => ' '.repeat(c.gap) + c.head.padStart(c.width)).join('');
    return [
      colours.bold((' '.repeat(left) + over.join('')).trimEnd()),
      dim((columns + repeated.join('') + tail).trimEnd()),
    ];
  };

  const lead = (point: PointPlan, member: RankGroup): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(point.axes).map(([name, value]) => [name, axisText(value)])),
    group: member?.name ?? '',
    x: xShort(plan, point),
    count: point.count === undefined ? '' : String(point.count),
  });

  const { figures, wrongText } = figureTexts(options, colours);

  let isEarly = false;

  /**
   * Returns "TRANSPORT REASON" with the reason why a configuration over the transport `t` has no result; '' if it has one or is
   * still being measured.
   */
  const reason = (cell: CellRecord | undefined, t: TransportPlan): string => {
    const why = reasonOf(cell);
    return why === '' ? '' : `${shortTransport(t.name)} ${why}`;
  };
  const reasonOf = (cell: CellRecord | undefined): string => {
    if (cell === undefined) return isEarly ? '' : 'not measured';
    return cell.status === 'ok' ? '' : `${cell.status}: ${cell.reason}`;
  };

  const row = (index: number, cells: readonly CellRecord[]): string => {
    const point = plan.points[index];
    if (point === undefined)
      throw new RangeError(`point ${index} is not in the plan (0 to ${plan.points.length - 1})`);
    const lines: string[] = [];
    const key = keyOf(point);
    if (groups.size > 1 && key !== lastGroup) {
      lines.push(
        ...(lastGroup === '' ? [] : ['']),
        colours.bold(fit(titleOfPoint(plan, point), width)),
        ...heads(),
      );
    }
    lastGroup = key;
    isEarly = cells.some(isStillMeasured);
    members.forEach((member, index) => {
      const mine = plan.transports.map((t) =>
        cells.find((c) => c.transport === t.name && (member === null || c.group?.index === index)),
      );
      lines.push(...(layout.form === 'stacked' ? stacked(point, member, mine) : beside(point, member, mine)));
    });
    return `${lines.join('\n')}\n`;
  };

  const { names } = columnNames(plan);

  /**
   * Returns the lines about one planned point and group of ranks if each transport has its own line (form `stacked`).
   * @param mine results of the point and group, one per transport in the order of the plan; undefined = not measured
   */
  const stacked = (
    point: PointPlan,
    member: RankGroup,
    mine: readonly (CellRecord | undefined)[],
  ): string[] => {
    const columns = [...layout.lead, ...layout.each];
    return plan.transports.map((t, i) => {
      const medium = mediumText(t);
      const values = {
        ...(i === 0 ? lead(point, member) : {}),
        transport: columnName(names[i] ?? ''),
        medium: t.medium === 'emulated' ? { text: medium, paint: colours.yellow } : medium,
        ...figures(mine[i]),
      };
      const text = line(columns, values);
      const why = reasonOf(mine[i]);
      const room = widthOf(layout.lead) + 2;
      return isOk(mine[i])
        ? text
        : colours.red(`${text.padEnd(room)}${fit(why, Math.max(10, width - room))}`);
    });
  };

  /**
   * Returns the line about one planned point and group of ranks if all transports share a line (form `beside`). For each missing
   * result a line with the reason follows.
   * @param mine results of the point and group, one per transport in the order of the plan; undefined = not measured
   */
  const beside = (
    point: PointPlan,
    member: RankGroup,
    mine: readonly (CellRecord | undefined)[],
  ): string[] => {
    const repeated = plan.transports.map((_, i) => {
      const values = figures(mine[i]);
      const none = Object.fromEntries(layout.each.map((c, place) => [c.key, place === 0 ? '-' : '']));
      return ' '.repeat(layout.each[0]?.gap ?? 0) + padded(layout.each, isOk(mine[i]) ? values : none);
    });
    const tail = layout.tail.map((c) => ' '.repeat(c.gap) + padded([c], { wrong: wrongText(mine) })).join('');
    const whys = plan.transports.map((t, i) => reason(mine[i], t)).filter((why) => why !== '');
    return [
      (padded(layout.lead, lead(point, member)) + repeated.join('') + tail).trimEnd(),
      ...whys.map((why) => colours.red(fit(`${' '.repeat(widthOf(layout.lead))}   ${why}`, width))),
    ];
  };

  return {
    isLive: groups.size === 1,
    head: () =>
      `${[...headLines(options, width, layout, colours), '', ...(groups.size > 1 ? [] : heads())].join('\n')}\n`,
    row,
    foot: (input) => {
      const linesOf = options.isBrief === true ? briefFootLines : footLines;
      return `${linesOf(options, input, width, colours).join('\n')}\n`;
    },
  };
}

/** Formats columns as `line` does, but keeps the spaces at the end of the line, because the caller appends further columns. */
function padded(columns: Parameters<typeof line>[0], values: Parameters<typeof line>[1]): string {
  const end = { key: '\0', head: '', width: 1, align: 'left', gap: 0 } as const;
  return line([...columns, end], { ...values, '\0': '|' }).slice(0, -1);
}
