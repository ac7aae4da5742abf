// Names that users give to runs.
import { ValueError } from '../../suites/options/values.ts';

const mark = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,59}$/u;
/** Texts that are not allowed as labels, because commands would take them for the id of a run or for the newest run. */
const taken = /^(?:[0-9a-f]{6}|last(?:~\d+)?)$/;

export function labelValue(text: string): string {
  if (taken.test(text)) throw new ValueError('it looks like the id of a run');
  if (!mark.test(text)) throw new ValueError('not a label');
  return text;
}

/**
 * Parses the value of --tag, a list such as "driver=570,rack=7", to values by name.
 * @throws ValueError if an item is no NAME=VALUE
 */
export function tagValues(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!/^[A-Za-z][\w.-]{0,39}$/.test(name) || !mark.test(value))
      throw new ValueError(`${pair} is not NAME=VALUE`);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}
