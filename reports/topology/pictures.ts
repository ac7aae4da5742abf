import type { TopologyView } from '../../results/topology/index.ts';
import { graphPicture } from './graph-picture.ts';
import { machinePicture } from './machine-picture.ts';

/**
 * Returns drawings as SVG: one of each host's devices, then one of each NCCL communicator's channels. Hosts and communicators that
 * cannot be drawn are left out.
 */
const picturesOf = ({ topologies, graphs }: Pick<TopologyView, 'topologies' | 'graphs'>): string[] =>
  [...topologies.map(machinePicture), ...graphs.map(graphPicture)].filter((svg) => svg !== null);

const size = (svg: string, name: 'width' | 'height'): number =>
  Number(new RegExp(`^<svg [^>]*?\\b${name}="([\\d.]+)"`).exec(svg)?.[1] ?? 0);

/** Returns one SVG that contains all drawings of hosts and communicators below one another; null if there are none. */
export function combinePictures(view: Pick<TopologyView, 'topologies' | 'graphs'>): string | null {
  const all = picturesOf(view);
  const [only, ...more] = all;
  if (only === undefined || more.length === 0) return only ?? null;
  const width = Math.max(...all.map((svg) => size(svg, 'width')));
  let y = 0;
  const placed = all.map((svg) => {
    const at = y;
    y += size(svg, 'height') + 16;
    return svg.replace('<svg ', `<svg y="${at}" `);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}">
<title>Topology</title>
${placed.join('\n')}
</svg>`;
}
