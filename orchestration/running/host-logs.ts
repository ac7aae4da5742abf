import type { RunRecord } from '../../results/schema/index.ts';
import type { RunWriter } from '../../results/store/types.ts';
import { sanitiseText } from '../../results/text.ts';
import type { SessionEvent } from '../session/session.ts';

type OutputEvent = Extract<SessionEvent, { type: 'output' }>;
type LogFile = NonNullable<RunRecord['logs']>[number];

/**
 * Maximum bytes that one start of the run writes into each log file. After that, one line in the file says that the
 * rest is left out.
 */
const maxBytes = 4 * 1024 * 1024;

/**
 * Stores the output of agents and ranks in files of the run folder. `logs/<host>.log` has the lines of a host's agent and its
 * ranks in order of arrival. `logs/<host>-rank-<n>-engine.log` has what the library of the rank's engine (NCCL) logged. The size
 * of the files is limited, and control characters are replaced. Files of earlier starts are continued.
 */
export class HostLogs {
  private readonly writer: Pick<RunWriter, 'appendLog'>;
  private readonly logs: Map<string, LogFile>;
  private readonly bytes = new Map<string, number>();
  private readonly names = new Map<string, string>();

  /** @param writer open run folder; the caller closes it @param earlier log files that earlier starts of a resumed run wrote */
  constructor(writer: Pick<RunWriter, 'appendLog'>, earlier: readonly LogFile[] = []) {
    this.writer = writer;
    this.logs = new Map(earlier.map((log) => [log.file, log]));
    for (const { host, file } of earlier) {
      const name = /^logs\/(.*?)(?:-rank-\d+-engine)?\.log$/.exec(file)?.[1];
      if (name !== undefined) this.names.set(host, name);
    }
  }

  async add({ host, from, rank, launch, text }: OutputEvent): Promise<void> {
    const name = this.nameOf(host);
    if (from === 'engine') {
      const head = `== ${host} rank ${rank}, ${launch ?? 'launch'}`;
      await this.append(`${name}-rank-${rank}-engine.log`, { host, rank }, `${head}\n${text.trimEnd()}`);
      return;
    }
    const who = rank === null ? 'agent' : `rank ${rank}`;
    await this.append(
      `${name}.log`,
      { host, rank: null },
      `${new Date().toISOString()} ${host} ${who}: ${text}`,
    );
  }

  /**
   * Returns the log files for run.json, those of earlier starts included, sorted by host, then by rank. A file is listed once it
   * has a line.
   */
  files(): LogFile[] {
    return [...this.logs.values()].sort(
      (a, b) => (a.host < b.host ? -1 : a.host > b.host ? 1 : 0) || (a.rank ?? -1) - (b.rank ?? -1),
    );
  }

  private async append(name: string, of: Omit<LogFile, 'file'>, text: string): Promise<void> {
    const before = this.bytes.get(name) ?? 0;
    if (before > maxBytes) return;
    const safe = sanitiseText(text);
    const after = before + Buffer.byteLength(safe) + 1;
    this.bytes.set(name, after);
    const line = after > maxBytes ? `[more than ${maxBytes} bytes: the rest is left out]` : safe;
    const file = await this.writer.appendLog(name, line);
    this.logs.set(file, { ...of, file });
  }

  /**
   * Returns a file name for the host, without extension; always the same for one host. The name is unique, even if two hosts
   * differ only in characters that are replaced.
   */
  private nameOf(host: string): string {
    const there = this.names.get(host);
    if (there !== undefined) return there;
    const plain = host
      .replace(/[^A-Za-z0-9.-]/g, '_')
      .replace(/^[.-]+/, '_')
      .slice(0, 100);
    const taken = new Set([...this.names.values(), 'session']);
    let name = plain;
    for (let n = 2; taken.has(name); n++) name = `${plain}_${n}`;
    this.names.set(host, name);
    return name;
  }
}
