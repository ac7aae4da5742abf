import { addTo } from '../../results/collections.ts';
import { rangesText } from '../../results/fold.ts';
import { type CommGraph, isAdapterName } from '../../results/topology/index.ts';
import { ink } from '../theme.ts';
import { plural } from '../wording.ts';
import { type AlikeChannels, groupAlikeChannels, listedOrder } from './channel-texts.ts';
import { arrow, box, drawText, picture } from './drawing.ts';

const whole = 744;
const maxShapes = 16;
/** Maximum number of members (ranks, adapters) of a channel; with more, their names would overlap, so the channel is not drawn. */
const maxMembers = 24;

/**
 * Draws the channels of an NCCL communicator as a complete SVG: rings as circles, chains as lines, trees from the root down.
 * Channels with equal paths share a drawing; at most 16 drawings are shown. Null if there is nothing to draw, or if all channels
 * have too many members.
 */
export function graphPicture(graph: CommGraph): string | null {
  const shapes = groupAlikeChannels(graph).filter((shape) => membersOf(shape).length <= maxMembers);
  const shown = shapes.slice(0, maxShapes);
  if (shown.length === 0) return null;
  const isBig = shown.some((shape) => membersOf(shape).length > 6);
  const perLine = isBig ? 3 : 4;
  const side = whole / perLine;
  const parts = shown.flatMap((shape, at) => {
    const x = (at % perLine) * side;
    const y = 30 + Math.floor(at / perLine) * (side + 18);
    const label = `channel ${rangesText(shape.channels)}`;
    return [
      ...(shape.isClosed
        ? ring(shape, x, y, side)
        : shape.edges.length > 0
          ? tree(shape, x, y, side)
          : chain(shape, x, y, side)),
      drawText(x + side / 2, y + side + 6, label, {
        size: 11,
        anchor: 'middle',
        colour: ink.soft,
        room: side - 8,
      }),
    ];
  });
  const head = `${graph.pattern}, ${plural(graph.channels.length, 'channel')}`;
  return picture([drawText(8, 20, head, { isBold: true, room: whole }), ...parts], {
    width: Math.min(perLine, Math.max(2, shown.length)) * side,
    height: 30 + Math.ceil(shown.length / perLine) * (side + 18) + 4,
    title: head,
    description: shown.map(describeShape).join('; '),
  });
}

type GraphShape = Pick<AlikeChannels, 'order' | 'edges'>;

const membersOf = ({ order, edges }: GraphShape): string[] => [...new Set([...order, ...edges.flat()])];

function describeShape(shape: AlikeChannels): string {
  const way =
    shape.edges.length > 0
      ? shape.edges.map(([child, parent]) => `${child} below ${parent}`).join(', ')
      : listedOrder(shape).join(' to ');
  return `channel ${rangesText(shape.channels)}: ${way}`;
}

/** Returns half the width in pixels of the boxes with names: wider boxes if any name has more than four letters. */
const halfOf = (names: readonly string[]): number => (names.some((name) => name.length > 4) ? 22 : 13);

const disc = (name: string, [x, y]: readonly [number, number]): string => {
  const half = halfOf([name]);
  return (
    box(x - half, y - 10, 2 * half, 20, isAdapterName(name) ? '#d9e9f5' : '#d6efe6') +
    drawText(x, y + 4, name, { size: 11, anchor: 'middle', room: 2 * half })
  );
};

const discs = (names: readonly string[], at: readonly (readonly [number, number])[]): string[] =>
  at.map((place, i) => disc(names[i] ?? '', place));

function ring({ order }: GraphShape, left: number, top: number, side: number): string[] {
  const radius = side / 2 - 28;
  const [x, y] = [left + side / 2, top + side / 2];
  const at = order.map((_, i): [number, number] => {
    const turn = (2 * Math.PI * i) / order.length - Math.PI / 2;
    return [x + radius * Math.cos(turn), y + radius * Math.sin(turn)];
  });
  const hops = at.map((from, i) => {
    const to = at[(i + 1) % at.length];
    // In a ring of two members both arrows would be on one line, so they are shifted to the sides.
    const aside = order.length === 2 ? (i === 0 ? 8 : -8) : 0;
    return to === undefined || order.length < 2
      ? ''
      : arrow([from[0] + aside, from[1]], [to[0] + aside, to[1]], halfOf(order));
  });
  return [...hops, ...discs(order, at)];
}

function chain({ order }: GraphShape, left: number, top: number, side: number): string[] {
  const step = Math.min(34, (side - 30) / Math.max(1, order.length - 1));
  const at = order.map((_, i): [number, number] => [left + side / 2, top + 16 + i * step]);
  return [
    ...at.flatMap((from, i) => {
      const to = at[i + 1];
      return to === undefined ? [] : [arrow(from, to, halfOf(order))];
    }),
    ...discs(order, at),
  ];
}

/**
 * Returns the SVG elements of a tree, drawn from the root down; the members of each level are evenly spaced.
 * @param left, top position of the drawing's upper left corner in pixels
 * @param side width and height of the drawing in pixels
 */
function tree({ edges }: GraphShape, left: number, top: number, side: number): string[] {
  const parentOf = new Map(edges);
  const depthOf = (name: string): number => {
    let depth = 0;
    for (let at = parentOf.get(name); at !== undefined && depth <= edges.length; at = parentOf.get(at))
      depth += 1;
    return depth;
  };
  const rows = new Map<number, string[]>();
  for (const name of membersOf({ order: [], edges })) {
    const depth = depthOf(name);
    addTo(rows, depth, name);
  }
  const step = Math.min(44, (side - 30) / Math.max(1, rows.size - 1));
  const at = new Map<string, [number, number]>();
  for (const [depth, names] of rows) {
    for (const [i, name] of names.entries()) {
      at.set(name, [left + (side * (i + 0.5)) / names.length, top + 16 + depth * step]);
    }
  }
  return [
    ...edges.map(([child, parent]) => {
      const [from, to] = [at.get(child), at.get(parent)];
      return from === undefined || to === undefined ? '' : arrow(from, to, halfOf([child, parent]));
    }),
    ...[...at].map(([name, place]) => disc(name, place)),
  ];
}
