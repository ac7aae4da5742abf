// Limits on what one agent may send. A host of the run may be broken or hostile: its agent must not fill the memory,
// the disk or the screen of the controller's machine, or keep that machine busy.
import { withoutControls } from '../results/files/json.ts';

const mebi = 2 ** 20;

export const agentLimits = {
  /**
   * Maximum characters of one line from an agent, which holds one message. A block with a million samples on each of many ranks
   * comes close to this limit. An agent that sends a longer line is given up.
   */
  line: 256 * mebi,
  /**
   * Maximum characters of a message other than `measured` and `samples`, such as one with stacks and last log lines of all ranks of
   * a host. An agent that sends a longer one is given up.
   */
  message: 32 * mebi,
  /**
   * Maximum characters of one text in a message, such as a log line or the reason of a failure. Of a longer text the beginning is
   * kept, with a note of how many characters are left out. The field of dataOf() is not cut.
   */
  text: 16 * 2 ** 10,
  /**
   * Maximum number of elements of one list within a message, such as the frames of a stack; the rest is dropped. Lists of numbers
   * have no limit.
   */
  list: 4096,
  /**
   * Maximum characters of log messages from one agent in a whole run; each message counts with `costOfLine` more. A second, equal
   * limit holds for stderr: that of the agent and of its ranks together. The text that reaches the limit and all later ones are
   * dropped, with one warning.
   */
  log: 4 * mebi,
  /**
   * Maximum characters of library logs of one agent's ranks in a whole run (native/agent/forensics/engine_log.h: 512 KiB per
   * rank). The text that reaches the limit and all later ones are dropped, with one warning.
   */
  engineLog: 64 * mebi,
  /** Maximum number of metric sources of one host that may fail during sampling; with more, the agent is given up. */
  failedSources: 256,
  /**
   * Maximum number of metric values, of all hosts, that are kept in memory until a block ends: half an hour of 1,000 channels every
   * 100 ms. An agent whose message exceeds it is given up.
   */
  waitingReadings: 32 * mebi,
  /**
   * Maximum number of all-gathers (exchanges of data between all ranks during the start) that one launch has open at the same
   * time. An agent that begins one more is given up.
   */
  openExchanges: 64,
  /** Maximum characters that one rank contributes to one all-gather (addresses and keys); an agent that sends more is given up. */
  blob: mebi,
} as const;

/** Characters that each log line or output text counts in addition to its own length, for the memory of its object. */
export const costOfLine = 64;

/**
 * Returns the name of the message field that holds raw data, which must not be shortened: `data` (exchanged between ranks),
 * `facts` (of the machine), `text` (an engine's log). Null if the message has no such field.
 */
function dataOf({ type, from }: Record<string, unknown>): string | null {
  if (type === 'exchange') return 'data';
  if (type === 'facts') return 'facts';
  return type === 'output' && from === 'engine' ? 'text' : null;
}

/**
 * Returns a copy of a message from an agent. Each text in it becomes a single line without control characters, and long texts and
 * lists are cut. The field of dataOf() stays unchanged; lists of numbers are not copied. A `raw` that is no object is accepted,
 * too: the caller checks the form of the message.
 * @param lineLength characters of the line that held the message
 * @param raw the message as parsed JSON
 * @throws Error if a message other than `measured` is longer than `agentLimits.message`; its text is worded to follow "sent an
 * invalid message:"
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
  // Number arrays are not copied, as samples are many; the schema rejects any text in them.
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

/** Counts how many more characters of one kind of output an agent may send. Nothing is thrown: the caller drops the text. */
export class CharacterLimit {
  private left: number;

  constructor(characters: number) {
    this.left = characters;
  }

  /**
   * Counts characters that arrived.
   * @returns `granted`: the limit is not reached; `last`: these characters reach or exceed it; `spent`: earlier
   * characters had reached it
   */
  take(characters: number): 'granted' | 'last' | 'spent' {
    if (this.left <= 0) return 'spent';
    this.left -= characters;
    return this.left > 0 ? 'granted' : 'last';
  }
}
