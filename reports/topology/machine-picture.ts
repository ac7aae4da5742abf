import {
  devicesOf,
  type PeerLink,
  shortAddressOf,
  type Topology,
  type TopologyDevice,
} from '../../results/topology/index.ts';
import { ink } from '../theme.ts';
import { formatBandwidth, plural } from '../wording.ts';
import { domainText, machineText, rateText } from './channel-texts.ts';
import { box, drawText, kindColours, line, linkColours, picture } from './drawing.ts';

const width = 760;
const rowHeight = 34;
const boxHeight = 24;
const indent = 26;
const boxWidth = 244;
const labelWidth = 200;
const busX = 700;

interface DeviceRow {
  device: TopologyDevice;
  depth: number;
  y: number;
  /** Row of the device to which this device is connected; null = it is connected directly to the NUMA node. */
  above: DeviceRow | null;
  topY: number;
}

/** Maximum number of devices in a drawing; a host with more devices gets no drawing. */
const maxDevices = 200;

/**
 * Draws the devices of a host as a tree from top to bottom. Thicker lines are faster links. Links between GPUs are drawn at
 * the right.
 * @returns a complete SVG; null if there are no devices, or too many to read
 */
export function machinePicture(topology: Topology): string | null {
  const count = devicesOf(topology).length;
  if (count === 0 || count > maxDevices) return null;
  const parts: string[] = [
    drawText(12, 22, topology.host, { size: 15, isBold: true, room: width - 24 }),
    drawText(12, 40, machineText(topology), { size: 11, colour: ink.soft, room: width - 24 }),
  ];
  let y = 56;
  const rows: DeviceRow[] = [];
  for (const domain of topology.domains) {
    parts.push(drawText(12, y + 16, domainText(domain), { isBold: true, room: width - 24 }));
    const topY = y + 22;
    y += rowHeight - 6;
    for (const device of domain.devices) y = place(device, { depth: 0, above: null, topY, y }, rows);
    y += 8;
  }
  const linked = new Set(topology.peers.flatMap(({ from, to }) => [from, to ?? '']));
  parts.push(
    ...rows.map(edge),
    ...rows.map((row) => node(row, linked.has(row.device.id))),
    ...peers(topology.peers, rows),
  );
  return picture(parts, {
    width,
    height: y + 4,
    title: `How ${topology.host} is connected`,
    description: description(topology),
  });
}

function place(device: TopologyDevice, at: Omit<DeviceRow, 'device'>, rows: DeviceRow[]): number {
  const row: DeviceRow = { device, ...at };
  rows.push(row);
  let y = at.y + rowHeight;
  for (const child of device.children) {
    y = place(child, { depth: at.depth + 1, above: row, topY: at.topY, y }, rows);
  }
  return y;
}

const leftOf = ({ depth }: DeviceRow): number => 30 + Math.min(depth, 6) * indent;

function edge(row: DeviceRow): string {
  const { device, above, topY, y } = row;
  const middle = y + boxHeight / 2;
  const x = leftOf(row) - 14;
  const start = above === null ? topY : above.y + boxHeight;
  const points = [
    [x, start],
    [x, middle],
    [leftOf(row), middle],
  ] as const;
  return line(points, device.up?.GBps ?? null, linkColours.pcie);
}

/**
 * Distance in pixels from the top of a device's row to the lines that lead to other GPUs. These lines are below the text about the
 * link to the parent device.
 */
const lineY = 20;

function node(row: DeviceRow, hasPeers: boolean): string {
  const { device, y } = row;
  const x = leftOf(row);
  const name = device.detail === '' ? device.short : `${device.short}, ${device.detail}`;
  const address = shortAddressOf(device);
  const texts = [
    ...(device.up === null ? [] : [rateText(device.up)]),
    ...(device.problem === null ? [] : [device.problem]),
  ];
  const wire = device.wire === null ? '' : rateText(device.wire);
  const right = x + boxWidth;
  return [
    box(x, y, boxWidth, boxHeight, kindColours[device.kind] ?? ink.paper),
    drawText(x + 6, y + 16, name, { room: boxWidth - 54 }),
    drawText(right - 4, y + 16, address, { size: 9, anchor: 'end', colour: ink.soft, room: 60 }),
    drawText(right + 8, y + (wire === '' && !hasPeers ? 16 : 10), texts.join('; '), {
      size: 11,
      colour: device.problem === null ? ink.soft : '#a32c00',
      room: labelWidth,
    }),
    wire === ''
      ? ''
      : line(
          [
            [right, y + lineY],
            [right + 30, y + lineY],
          ],
          device.wire?.GBps ?? null,
          linkColours.wire,
        ) + drawText(right + 36, y + 24, wire, { size: 11, colour: ink.soft, room: labelWidth }),
  ].join('');
}

/**
 * Returns the SVG elements of the links between GPUs: lines to a common bar if they end at a switch, a bent line for each pair of
 * GPUs, a short line with a label ("?" = unknown) if the other end is not among the devices.
 * @param all links of all GPUs
 * @param rows positions of the devices in the drawing
 */
function peers(all: readonly PeerLink[], rows: readonly DeviceRow[]): string[] {
  const rowOf = new Map(rows.map((row) => [row.device.id, row]));
  const heightOf = (row: DeviceRow) => row.y + lineY;
  const parts: string[] = [];
  const told = new Set<string>();
  const atSwitch: number[] = [];
  let bows = 0;
  for (const { from, to, kind, count, rate } of all) {
    const row = rowOf.get(from);
    if (row === undefined) continue;
    const y = heightOf(row);
    const x = leftOf(row) + boxWidth;
    const other = to === null ? undefined : rowOf.get(to);
    const label = `${rate.text}${rate.GBps === null ? '' : `, ${formatBandwidth(rate.GBps)}`}`;
    if (other === undefined) {
      const end = to === 'switch' ? busX : busX - 60;
      parts.push(
        line(
          [
            [x, y],
            [end, y],
          ],
          rate.GBps,
          linkColours.peer,
        ),
      );
      parts.push(drawText(end - 6, y - 5, label, { size: 10, anchor: 'end', colour: ink.soft, room: 220 }));
      if (to === 'switch') atSwitch.push(y);
      else parts.push(drawText(end + 6, y + 4, to ?? '?', { size: 11, room: 80 }));
      continue;
    }
    const pair = [from, to].sort().join(' ');
    if (told.has(pair)) continue;
    told.add(pair);
    const bend = x + 180 + (bows % 8) * 26;
    bows += 1;
    const otherX = leftOf(other) + boxWidth;
    const shift = ((bows % 8) - 4) / 2;
    parts.push(
      line(
        [
          [x, y + shift],
          [bend, y + shift],
          [bend, heightOf(other) + shift],
          [otherX, heightOf(other) + shift],
        ],
        rate.GBps,
        linkColours.peer,
      ),
      drawText(bend + 3, (y + heightOf(other)) / 2, kind === 'NVLink' ? `${count}×` : rate.text, {
        size: 10,
        room: 60,
      }),
    );
  }
  if (atSwitch.length > 0) {
    const [top, bottom] = [Math.min(...atSwitch) - 12, Math.max(...atSwitch) + 12];
    parts.push(box(busX, top, 18, bottom - top, kindColours.gpu ?? ink.paper));
    parts.push(drawText(busX + 9, top - 5, 'switch', { size: 11, anchor: 'middle', room: 60 }));
  }
  return parts;
}

function description(topology: Topology): string {
  const devices = devicesOf(topology);
  const of = (kind: TopologyDevice['kind'], one: string) => {
    const n = devices.filter((device) => device.kind === kind).length;
    return n === 0 ? [] : [plural(n, one)];
  };
  return `${machineText(topology)}: ${[...of('gpu', 'GPU'), ...of('network', 'network adapter'), ...of('ntb', 'NTB adapter'), ...of('bridge', 'PCIe bridge')].join(', ')}. Thicker lines are faster; dashed ones have a rate that is not known.`;
}
