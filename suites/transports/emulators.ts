/** Software devices of this project: which link models and faults each has (README of its room in native/). */
export interface Emulator {
  name: string;
  /** `none` is of all of them. */
  links: readonly string[];
  /** What `custom:` may say of a link. */
  parameters: readonly string[];
  faults: readonly string[];
}

export const softntb: Emulator = {
  name: 'softntb',
  links: ['pcie-gen1-x8', 'pcie-gen3-x4', 'pcie-gen3-x8', 'pcie-gen3-x16', 'pcie-gen4-x8', 'pcie-gen4-x16'],
  parameters: ['gbps', 'dma-start-us', 'pio-write-us', 'pio-read-us'],
  faults: ['no-iommu', 'bit-flip', 'lost-interrupt', 'link-down', 'slow-link', 'no-segments', 'retriable'],
};

export const softmlx5: Emulator = {
  name: 'softmlx5',
  links: ['edr-100', 'hdr-200', 'ndr-400'],
  parameters: ['gbps', 'latency-us', 'message-rate-m', 'dc-reconnect-us'],
  faults: ['lost-doorbell', 'bit-flip', 'stuck-cq', 'qp-error', 'port-down', 'slow-link'],
};

const all = [softntb, softmlx5];
const unpaced = 'none';
const custom = 'custom:';

/** Does it know the model? Numbers are its own to check. */
export function hasLink({ links, parameters }: Emulator, link: string): boolean {
  if (!link.startsWith(custom)) return link === unpaced || links.includes(link);
  const names = link
    .slice(custom.length)
    .split(',')
    .map((item) => item.split('=', 1)[0] ?? '');
  return names.every((name) => parameters.includes(name));
}

/** Models of all, by name. */
export const linkModels: readonly string[] = [unpaced, ...all.flatMap(({ links }) => links)];
export const faultNames: readonly string[] = [...new Set(all.flatMap(({ faults }) => faults))];

/**
 * The link and the faults that it is given. A model of another device leaves it unpaced; a fault of another one is not
 * its. What no device knows reaches all, which say what they know.
 */
export function settingsOf(
  emulator: Emulator,
  { link, fault }: { link: string; fault: string | null },
): { link: string; fault?: string } {
  const isOthers = (item: string): boolean => {
    const name = item.split(':', 1)[0] ?? '';
    return faultNames.includes(name) && !emulator.faults.includes(name);
  };
  const faults = (fault ?? '').split(',').filter((item) => item !== '' && !isOthers(item));
  return {
    link: hasLink(emulator, link) || !all.some((other) => hasLink(other, link)) ? link : unpaced,
    ...(faults.length === 0 ? {} : { fault: faults.join(',') }),
  };
}
