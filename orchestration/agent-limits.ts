// Limits on what one agent may send. A host of the run may be broken or hostile: it must not fill the memory, the disk or
// the screen of the machine that measures, or keep it busy.
import { withoutControls } from '../results/files/json.ts';

const mebi = 2 ** 20;

export const agentLimits = {
  /** Characters of a line: a block with a million samples on each of many ranks comes near it. */
  line: 256 * mebi,
  /** Characters of a message that carries no samples: stacks and last lines of all ranks of a host. */
  message: 32 * mebi,
  /** Characters of one text, such as a log line or the reason of a failure. */
  text: 16 * 2 ** 10,
  /** Texts of one list, such as the frames of a stack. */
  list: 4096,
  /** Characters of log lines, and of what the ranks of the host write, each in a whole run. */
  log: 4 * mebi,
  /** Characters of what libraries log by themselves (native/agent/forensics/engine_log.h: 512 KiB of each rank). */
  engineLog: 64 * mebi,
  /** Sources of metrics that fail, each told once. */
  failedSources: 256,
  /** Values of metrics of all hosts that wait for the end of a block: half an hour of 1,000 channels every 100 ms. */
  waitingReadings: 32 * mebi,
  /** Named all-gathers of one launch that are open at the same time. */
  openExchanges: 64,
  /** Characters that one rank gives to one of them: addresses and keys. */
  blob: mebi,
} as const;

/** A line of the log costs its object, too. */
export const costOfLine = 64;

/** Field of a message that is data and stays as it is: what ranks give each other, files of a machine, an engine's log. */
function dataOf({ type, from }: Record<string, unknown>): string | null {
  if (type === 'exchange') return 'data';
  if (type === 'facts') return 'facts';
  return type === 'output' && from === 'engine' ? 'text' : null;
}

/**
 * A message as it came, but each text is one line and no longer than it may be.
 * @throws Error it is too long; the text completes "sent an invalid message:"
 */
export function withinLimits(raw: unknown, lineLength: number): unknown {
  const message = (raw ?? {}) as Record<string, unknown>;
  if (message.type !== 'measured' && lineLength > agentLimits.message)
    throw new Error(`message ${JSON.stringify(message.type)} has ${lineLength} characters`);
  const field = dataOf(message);
  if (field === null) return bounded(raw);
  const { [field]: data, ...others } = message;
  return { ...(bounded(others) as object), [field]: data };
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return oneText(value);
  // Samples are many; the schema refuses a text among them.
  if (Array.isArray(value))
    return typeof value[0] === 'number' ? value : value.slice(0, agentLimits.list).map(bounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [oneText(name), bounded(inner)]));
}

function oneText(text: string): string {
  const most = agentLimits.text;
  const short =
    text.length <= most ? text : `${text.slice(0, most)}... (${text.length - most} more characters)`;
  return withoutControls(short.replaceAll('\t', ' '));
}

/** Characters that may still come of one kind. */
export class CharacterLimit {
  private left: number;

  constructor(characters: number) {
    this.left = characters;
  }

  /** @returns whether they may come; `last` = these are the first that may not */
  take(characters: number): 'granted' | 'last' | 'spent' {
    if (this.left <= 0) return 'spent';
    this.left -= characters;
    return this.left > 0 ? 'granted' : 'last';
  }
}
