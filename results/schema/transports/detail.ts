/** Facts that agents write into the description of a transport: `TransportPlan.detail`, `CellRecord.detail`. */
export interface TransportFacts {
  /** Network interface that carries the bytes: "lo" of "TCP over lo"; null if none is named. */
  networkInterface: string | null;
  /** Software device in place of an adapter; null if the transport uses none. */
  softwareCard: 'softntb' | 'softmlx5' | null;
  /** PCIe link that the software device models: "softntb, link pcie-gen3-x8"; null for other links. */
  pcieLink: { generation: number; lanes: number } | null;
  /** True if a fake of NCCL or CUDA moved the bytes in host memory, as in tests. */
  isFake: boolean;
}

const softwareCards = ['softntb', 'softmlx5'] as const;

/**
 * Reads the facts in a stored description of a transport; null if it does not contain them. Only this file takes such a text
 * apart.
 */
export function transportFacts(detail: string): TransportFacts {
  const pcie = /pcie[- ]gen(\d)[- ]x(\d+)/i.exec(detail);
  return {
    networkInterface: /\bover ([^\s,]+)/.exec(detail)?.[1] ?? null,
    softwareCard: softwareCards.find((card) => detail.includes(card)) ?? null,
    pcieLink: pcie === null ? null : { generation: Number(pcie[1]), lanes: Number(pcie[2]) },
    isFake: /, fake\b/.test(detail),
  };
}

/**
 * Returns the parts of a description for a label that begins with the transport's name: NCCL's repetition of that name is left
 * out. The first part has device or library with its link or version: "softntb link none", "NCCL 2.28.9".
 * @param transport name of the transport, such as "p2p"
 */
export function detailParts(detail: string, transport: string): string[] {
  const [program = '', version = '', name, ...others] = detail.replaceAll(', ', ' ').split(' ');
  if (program === 'NCCL' && name === transport) return [[program, version, ...others].join(' ')];
  const [device = '', link, ...more] = detail.split(', ');
  return [link === undefined ? device : `${device} ${link}`, ...more];
}

/** Description without the link of a software device that does not limit it, for labels with little room. */
export const withoutFreeLink = (part: string): string => part.replace(/ link none$/, '');
