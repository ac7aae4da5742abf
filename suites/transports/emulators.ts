import { editDistance, nearestWord } from '../../results/nearest.ts';

/**
 * A software device that collbench uses instead of a missing network adapter. A link model gives it the bandwidth and latency of a
 * real link; faults are errors that tests inject into it.
 */
export interface Emulator {
  name: string;
  /**
   * Names of the device's link models, such as "pcie-gen3-x8". The model `none` (no limit), which every device has, is not listed.
   */
  links: readonly string[];
  /** Parameters that a `custom:` link model of this device can have, by name, each with an example value. */
  parameters: Readonly<Record<string, string>>;
  faults: readonly string[];
}

export const softntb: Emulator = {
  name: 'softntb',
  links: ['pcie-gen1-x8', 'pcie-gen3-x4', 'pcie-gen3-x8', 'pcie-gen3-x16', 'pcie-gen4-x8', 'pcie-gen4-x16'],
  parameters: { gbps: '7.2', 'dma-start-us': '9', 'pio-write-us': '0.7', 'pio-read-us': '1.8' },
  faults: [
    ...['no-iommu', 'bit-flip', 'swapped-halves', 'lost-interrupt', 'link-down', 'slow-link', 'no-segments'],
    'retriable',
  ],
};

export const softmlx5: Emulator = {
  name: 'softmlx5',
  links: ['edr-100', 'hdr-200', 'ndr-400'],
  parameters: { gbps: '24.8', 'latency-us': '0.6', 'message-rate-m': '215', 'dc-reconnect-us': '1.2' },
  faults: ['lost-doorbell', 'bit-flip', 'stuck-cq', 'qp-error', 'port-down', 'slow-link'],
};

const all = [softntb, softmlx5];
/** Name of the link model without delays, which transfers at memory speed; every device has it. */
export const noLinkModel = 'none';
const custom = 'custom:';

interface LinkItem {
  name: string;
  /** Text after "=" of the parameter; null if there is no "=". */
  value: string | null;
}

/**
 * Parameters of a link model that the user typed as `custom:NAME=VALUE,...`. The caller must have checked the prefix `custom:`;
 * names and values are not checked.
 */
const itemsOf = (link: string): LinkItem[] =>
  link
    .slice(custom.length)
    .split(',')
    .map((item) => {
      const at = item.indexOf('=');
      return at === -1 ? { name: item, value: null } : { name: item.slice(0, at), value: item.slice(at + 1) };
    });

/**
 * True if the device has the link model: a model of that name, or all parameters of a `custom:NAME=VALUE,...` model (their values
 * are not checked). Every device has `none`.
 */
function hasLink({ links, parameters }: Emulator, link: string): boolean {
  if (!link.startsWith(custom)) return link === noLinkModel || links.includes(link);
  return itemsOf(link).every(({ name }) => name in parameters);
}

/** True if the text is a number from 0 to 3.6e9, as the software devices accept for a link-model parameter. */
const isAmount = (value: string | null): boolean =>
  value !== null && /^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(value) && Number(value) <= 3.6e9;

export interface LinkProblem {
  why: string;
  /** A similar link model that exists, which the error message suggests. */
  instead: string;
}

/**
 * The reason (`why`) why the link model that --link names cannot be used, with a similar model to suggest (`instead`): no software
 * device has it, a parameter of a `custom:` model is unknown or no number, or no device has all its parameters. Null if a device
 * has the model.
 */
export function linkProblem(link: string): LinkProblem | null {
  if (!link.startsWith(custom))
    return all.some((device) => hasLink(device, link))
      ? null
      : {
          why: 'no such link model',
          // Any model can be run, so of two equally similar ones the first is suggested.
          instead:
            linkModels.toSorted((a, b) => editDistance(link, a) - editDistance(link, b))[0] ?? noLinkModel,
        };
  const items = itemsOf(link);
  const names = all.flatMap(({ parameters }) => Object.keys(parameters));
  const unknown = items.find(({ name }) => !names.includes(name));
  const corrected = items.map(({ name, value }) => ({
    name: names.includes(name) ? name : (nearestWord(name, names) ?? 'gbps'),
    value,
  }));
  const device = all.find(({ parameters }) => corrected.every(({ name }) => name in parameters));
  const { parameters } = device ?? softntb;
  const kept = corrected.filter(({ name }, i) => {
    const isFirst = corrected.findIndex((one) => one.name === name) === i;
    return isFirst && name in parameters;
  });
  const texts = kept.map(({ name, value }) => `${name}=${isAmount(value) ? value : parameters[name]}`);
  const instead = custom + texts.join(',');
  if (unknown !== undefined) return { why: `no parameter '${unknown.name}'`, instead };
  const wrong = items.find(({ value }) => !isAmount(value));
  if (wrong !== undefined) return { why: `${wrong.name} is not a number of 0 or more`, instead };
  return device === undefined ? { why: 'its parameters belong to different adapters', instead } : null;
}

/** Examples of `custom:NAME=VALUE,...` link models, one per software device, each with all of the device's parameters. */
export const customLinks: readonly string[] = all.map(
  ({ parameters }) =>
    custom +
    Object.entries(parameters)
      .map((one) => one.join('='))
      .join(','),
);
/** Names of the link models of all software devices, `none` first; `custom:` models are not in the list. */
export const linkModels: readonly string[] = [noLinkModel, ...all.flatMap(({ links }) => links)];
export const faultNames: readonly string[] = [...new Set(all.flatMap(({ faults }) => faults))];

/**
 * The values of --link and --fault that apply to one software device. A link model that only other devices have becomes `none`;
 * faults of other devices are removed. Unknown names stay, so that the device reports them as errors.
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
    link: hasLink(emulator, link) || !all.some((other) => hasLink(other, link)) ? link : noLinkModel,
    ...(faults.length === 0 ? {} : { fault: faults.join(',') }),
  };
}
