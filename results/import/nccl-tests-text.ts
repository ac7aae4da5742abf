import {
  blocking,
  type NcclTestsDevice,
  NcclTestsError,
  type NcclTestsResult,
  ncclVersionText,
  tooSlow,
} from './nccl-tests-result.ts';
import { type Columns, columnsIn, rowOf, usualColumns } from './nccl-tests-row.ts';
import { wholeNumberOf } from './printed-number.ts';
import { launcherTag } from './text-lines.ts';

/**
 * A message of NCCL itself, "host:pid:tid [gpu] NCCL INFO ...", in newer releases with a time before it. It can begin in
 * the middle of a row, whose first columns are printed long before its figures.
 */
const debug =
  /(?:\[[-\d :.]{1,40}\] )?[A-Za-z][\w.-]{0,64}:\d{1,10}:\d{1,10} \[-?\d{1,6}\] (?:[\w/.:]{1,200} )?NCCL (?:INFO|WARN|TRACE|CALL|ABORT|VERSION)\b/;
const beginsAsRow = /^\s*\d+\s+\d+\s+[a-z]/;
const failure = /Test (?:NCCL|CUDA) failure|Test timeout|Test failure|Invalid number of GPUs|^invalid /;

/** @throws {NcclTestsError} */
export function parseText(content: string): NcclTestsResult {
  const reading = new Reading();
  const lines = content.split(/\r?\n/);
  const last = lines.pop() ?? '';
  for (const line of lines) reading.take(line.replace(launcherTag, ''));
  reading.takeLast(last.replace(launcherTag, ''));
  return reading.result();
}

class Reading {
  private readonly found: NcclTestsResult = {
    source: 'text',
    library: 'nccl',
    version: null,
    ncclVersion: null,
    program: null,
    ranks: null,
    iterations: null,
    startedAt: null,
    environment: {},
    devices: [],
    rows: [],
    isInPlaceOnly: false,
    timeUnitNs: 1000,
    complete: false,
    problems: [],
  };
  private columns: Columns | null = null;
  private begun = '';
  private deviceLists = 0;
  private hasHeader = false;
  private hasFigures = false;
  private isStarted = false;
  private isConcluded = false;
  private hasFailed = false;

  take(line: string): void {
    const other = (line.includes('NCCL ') ? debug.exec(line)?.index : undefined) ?? line.indexOf('#');
    const isBroken = other > 0 && beginsAsRow.test(line);
    if (isBroken) this.begun = line.slice(0, other);
    this.takeWhole(isBroken ? line.slice(other) : line);
  }

  /** A row without a line feed was cut off: its last number may lack digits. */
  takeLast(line: string): void {
    if (/^\s*\d/.test(line)) this.found.problems.push(`a row is cut off: ${line.trim()}`);
    else this.take(line);
  }

  private takeWhole(line: string): void {
    const text = line.trim();
    const [, library, version] = /^([NR]CCL) version\s*:?\s*(\d+\.\d+\.\d+)/.exec(text) ?? [];
    if (library === 'RCCL' || /^rccl-tests: Version/.test(text)) this.found.library = 'rccl';
    if (version !== undefined) this.found.ncclVersion ??= version;
    else if (text.includes('NCCL ') && debug.test(text)) return;
    else if (text.startsWith('#')) this.takeComment(text);
    // Without '#' until 2018.
    else if (/^(?:Out of bounds values|Avg bus bandwidth|nThread \d+ nGpus) /.test(text))
      this.takeComment(`# ${text}`);
    else if (/^\d/.test(text)) this.takeRow(text);
    else if (failure.test(text)) this.fail(text);
    else if (/^USAGE: \S+_perf/.test(text)) {
      const option = this.found.problems.find((problem) => problem.startsWith('invalid option'));
      throw new NcclTestsError(
        `the output is the usage text of nccl-tests${option === undefined ? '' : ` (${option})`}: nothing was measured`,
      );
    }
  }

  private fail(text: string): void {
    // Data that were wrong, or too slow, make it fail after its end.
    if (!this.isConcluded) this.hasFailed = true;
    this.found.problems.push(text);
  }

  private takeRow(text: string): void {
    const line = `${this.begun} ${text}`;
    this.columns ??= usualColumns(line.trim().split(/\s+/).length);
    const row = rowOf(line, this.columns) ?? rowOf(text, this.columns);
    // Half a row may have been printed before the program was killed; other digits are not ours.
    if (row !== null) this.found.rows.push(row);
    else if (beginsAsRow.test(line)) this.found.problems.push(`a row is cut off: ${line.trim()}`);
    this.begun = '';
  }

  private takeComment(text: string): void {
    const { found } = this;
    const columns = columnsIn(text);
    if (columns !== null) {
      this.columns = columns;
      found.timeUnitNs = columns.unitNs;
      this.hasHeader = true;
      if (columns.half[0] === 'cputime') {
        found.problems.push('the time is that of the calls on the CPU (-C 1), not of the operations');
      }
      return;
    }
    const words = /^# ([^:]*?)\s*:\s*(.*)$/.exec(text);
    const [, key = '', value = ''] = words ?? [];
    const iterations = /^# nThread .* iters: (\d+)/.exec(text.replace('warmup iters:', 'warmup:'))?.[1];
    if (iterations !== undefined) found.iterations = wholeNumberOf(iterations);
    const versions = /^# nccl-tests version (\S+) .*nccl-library=(\d+)/.exec(text);
    if (versions !== null) {
      found.version = versions[1] ?? null;
      found.ncclVersion = ncclVersionText(Number(versions[2]));
    } else if (text === '# Using devices') {
      this.deviceLists += 1;
    } else if (/^#\s+Rank\s+\d+ /.test(text)) {
      this.takeDevice(text);
    } else if (key === 'Collective test starting') {
      this.isStarted = true;
      found.program = value;
    } else if (key === 'Collective test concluded') {
      this.isConcluded = true;
      found.program ??= value;
    } else if (key === 'Out of bounds values') {
      if (value.includes('FAILED')) found.problems.push(`wrong data: out of bounds values: ${value}`);
    } else if (key === 'Avg bus bandwidth') {
      this.hasFigures = true;
      if (value.endsWith('FAILED')) found.problems.push(tooSlow);
    } else if (key === 'error') {
      found.problems.push(`NCCL reported: ${value}`);
    } else if (/^#\s*in-place$/.test(text)) {
      found.isInPlaceOnly = true;
    } else if (/^# Blocking Enabled/.test(text)) {
      found.problems.push(blocking);
    } else if (text.startsWith('# Reducing maxBytes')) {
      found.problems.push(text.slice(2));
    }
  }

  private takeDevice(text: string): void {
    const device = /Rank\s+(\d+) (?:.*?Pid\s+(\d+) )?on\s+(\S+) device\s+(\d+) \[([^\]]+)\] (.*)$/.exec(text);
    if (device === null) return;
    const [, rank, pid = '0', host = '', number, busId = '', name = ''] = device;
    const listed: NcclTestsDevice = {
      rank: Number(rank),
      host,
      pid: Number(pid),
      device: Number(number),
      busId,
      name,
    };
    this.found.devices.push(listed);
  }

  /** Null where no device is listed, or a list has gaps: lines of it are missing or were changed. */
  private ranks(): number | null {
    const { devices, problems } = this.found;
    const listed = new Set(devices.map(({ rank }) => rank));
    const highest = devices.reduce((most, { rank }) => Math.max(most, rank), -1);
    if (listed.size === highest + 1) return listed.size || null;
    problems.push(`the list of devices has ${listed.size} ranks, of which the highest is ${highest}`);
    return null;
  }

  result(): NcclTestsResult {
    const { found } = this;
    const starts = Math.max(this.deviceLists, found.devices.filter((device) => device.rank === 0).length);
    if (starts > 1) {
      throw new NcclTestsError(
        `the output has ${starts} device lists that begin at rank 0: a program built without MPI under mpirun (each process then measures alone), or several runs in one file`,
      );
    }
    const isOurs = this.hasHeader || starts > 0 || this.isStarted || found.rows.length > 0;
    if (!isOurs && !this.hasFailed) throw new NcclTestsError('this is no output of nccl-tests');
    if (!this.hasHeader && found.rows.length > 0) {
      found.problems.push('the line that names the columns is missing: the usual ones are assumed');
    }
    found.ranks = this.ranks();
    const hasEnd = this.hasFigures && (this.isConcluded || !this.isStarted);
    found.complete = hasEnd && !this.hasFailed && found.rows.length > 0;
    if (!hasEnd)
      found.problems.push('the closing lines are missing: the run did not end, or its output was cut');
    return found;
  }
}
