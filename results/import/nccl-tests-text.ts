import {
  blocking,
  meanDiffers,
  NcclTestsError,
  type NcclTestsResult,
  ncclVersionText,
  numberOf,
  slowBusBandwidth,
} from './nccl-tests-result.ts';
import {
  type NcclTestsColumns,
  ncclTestsRow,
  outOfPlaceOf,
  parseColumns,
  usualColumns,
} from './nccl-tests-row.ts';
import { wholeNumberOf } from './printed-number.ts';

/**
 * Matches a message of NCCL itself, "host:pid:tid [gpu] NCCL INFO ...", in newer releases after a time stamp. It may begin in the
 * middle of a table row, because nccl-tests prints the first columns of a row long before its times.
 */
const debug =
  /(?:\[[-\d :.]{1,40}\] )?[A-Za-z][\w.-]{0,64}:\d{1,10}:\d{1,10} \[-?\d{1,6}\] (?:[\w/.:]{1,200} )?NCCL (?:INFO|WARN|TRACE|CALL|ABORT|VERSION)\b/;
const beginsAsRow = /^\s*\d+\s+\d+\s+[a-z]/;
const failure = /Test (?:NCCL|CUDA) failure|Test timeout|Test failure|Invalid number of GPUs|^invalid /;

/** Matches comments of nccl-tests that lost their "#", because releases until 2018 print none or a web page removed it. */
const bareComment =
  /^(?:Out of bounds values|Avg bus bandwidth|nThread \d+ nGpus|nccl-tests version|Collective test (?:starting|concluded)|Rank\s+\d+ .*\bdevice\s+\d+|(?:size\s+count|bytes\s+N)\s+type|Using devices$)(?![\w-])/;
/** Patterns of lines that nccl-tests prints only once, at its start. */
const firstLines = [/^#?\s*nThread \d+ nGpus /, /^# nccl-tests version /, /^# Collective test starting/];
const columnLine = /^#?\s*(?:size\s+count\s+type|bytes\s+N\s+type)\b/;
const lastLine = /^#?\s*Avg bus bandwidth\b/;
/**
 * Matches a command line, with at least one option, that was copied into the log before the output. In releases before June 2025,
 * only the command names the program.
 */
const command =
  /^[^#]*?(?:^|[\s/])((?:all_reduce|all_gather|reduce_scatter|alltoallv?|broadcast|reduce|gather|scatter|sendrecv|hypercube)_perf\w*)\s+-{1,2}[a-zA-Z]/;

/**
 * Splits a log of nccl-tests into the outputs of programs that ran one after another; a list with the whole text if there is only
 * one. Lines of programs that ran at the same time cannot be separated: an output that begins before the previous one has ended
 * stays in the same text.
 */
export function ncclTestsPrograms(content: string): string[] {
  const programs: string[][] = [[]];
  let seen = new Set<RegExp>();
  let [isEnded, hasRows] = [false, false];
  for (const line of content.split(/(?<=\n)/)) {
    const text = line.trim();
    const first = firstLines.find((one) => one.test(text));
    // A table has its column names once. If column names follow rows, they belong to another output whose first lines were cut off.
    const isNames = columnLine.test(text);
    const begins = first !== undefined || isNames || command.test(text);
    if ((begins && isEnded) || (isNames && hasRows)) {
      programs.push([]);
      seen = new Set();
      [isEnded, hasRows] = [false, false];
    }
    hasRows ||= beginsAsRow.test(line);
    if (first !== undefined) seen.add(first);
    if (lastLine.test(text) || (failure.test(text) && seen.size > 0)) isEnded = true;
    programs.at(-1)?.push(line);
  }
  // A command line without output after it belongs to the output before it.
  const outputs: string[] = [];
  for (const lines of programs) {
    const text = lines.join('');
    const isOutput = outputs.length === 0 || lines.some(isOfOutput);
    if (isOutput) outputs.push(text);
    else outputs.push(outputs.pop() + text);
  }
  return outputs;
}

function isOfOutput(line: string): boolean {
  const text = line.trim();
  return beginsAsRow.test(line) || columnLine.test(text) || firstLines.some((one) => one.test(text));
}

/**
 * Parses the text that one nccl-tests program printed.
 * @throws {NcclTestsError} if the text is no output of nccl-tests, is its usage text, or mixes outputs of several programs or of
 * groups of different sizes
 */
export function parseText(content: string): NcclTestsResult {
  const reading = new NcclTestsParser();
  const lines = content.split(/\r?\n/);
  const last = lines.pop() ?? '';
  for (const line of lines) reading.take(line);
  reading.takeLast(last);
  return reading.result();
}

class NcclTestsParser {
  private readonly found: NcclTestsResult = {
    library: 'nccl',
    version: null,
    ncclVersion: null,
    program: null,
    ranks: null,
    iterations: null,
    startedAt: null,
    environment: {},
    devices: [],
    hasAllDevices: false,
    groups: 1,
    rows: [],
    isInPlaceOnly: false,
    timeUnitNs: 1000,
    complete: false,
    problems: [],
  };
  private columns: NcclTestsColumns | null = null;
  private begun = '';
  private deviceLists = 0;
  private command: string | null = null;
  private hasHeader = false;
  private hasFigures = false;
  /** Mean bus bandwidth in GB/s that the program prints at its end; null until that line was read. */
  private meanGBps: number | null = null;
  /** True if the program printed at its end that no element of any row exceeds its limit for rounding errors. */
  private hasNoWrongRow = false;
  private isStarted = false;
  private isConcluded = false;
  private hasFailed = false;

  take(line: string): void {
    const other = (line.includes('NCCL ') ? debug.exec(line)?.index : undefined) ?? line.indexOf('#');
    // A message of NCCL can begin in the middle of a row. Before it stand the first columns of the row, or further ones.
    if (other > 0 && (beginsAsRow.test(line) || (this.begun !== '' && /^\s*\d/.test(line)))) {
      this.takeRow(line.slice(0, other).trim());
      this.takeWhole(line.slice(other));
    } else this.takeWhole(line);
  }

  /**
   * Reads the last line of the text, which has no line feed and may have been cut off. A row is not used, but reported as a
   * problem, because its last number may lack digits.
   */
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
    else if (bareComment.test(text)) this.takeComment(`# ${text}`);
    else if (command.test(text)) this.command = command.exec(text)?.[1] ?? null;
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
    // Wrong data or a low bandwidth makes the program fail only after its last row, so all rows are present.
    if (!this.isConcluded) this.hasFailed = true;
    this.found.problems.push(text);
  }

  /** Reads a row, or a part of one. A part is kept and joined with the following parts until the row is complete. */
  private takeRow(text: string): void {
    const parts = `${this.begun} ${text}`.trim();
    this.columns ??= usualColumns(parts.split(/\s+/).length);
    const isNew = beginsAsRow.test(text);
    const row = isNew
      ? ncclTestsRow(text, this.columns)
      : this.begun === ''
        ? null
        : ncclTestsRow(parts, this.columns);
    if (row !== null) {
      if (isNew) this.endRow();
      this.begun = '';
      this.found.rows.push(row);
    } else if (isNew) {
      this.endRow();
      this.begun = text;
    } else if (this.begun !== '') this.begun = parts;
    else if (/^\d+\s+\S/.test(text) && /^[\d\s.eE+-]+$|N\/A/.test(text))
      this.found.problems.push(`a line is left out, it is no row: ${text.slice(0, 100)}`);
  }

  /**
   * Ends a row that is not complete. If its out-of-place half is complete, the row is used without the in-place half. Otherwise a
   * sentence in `problems` says that the row is cut off.
   */
  private endRow(): void {
    if (this.begun === '') return;
    const half = this.columns === null ? null : outOfPlaceOf(this.begun, this.columns);
    if (half !== null) {
      this.found.rows.push(half);
      this.found.problems.push(`the row of ${half.sizeBytes} bytes has no figures in place`);
    } else this.found.problems.push(`a row is cut off: ${this.begun}`);
    this.begun = '';
  }

  private takeComment(text: string): void {
    const { found } = this;
    const columns = parseColumns(text);
    if (columns !== null || lastLine.test(text)) this.endRow();
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
    if (found.rows.length > 0 && firstLines.some((one) => one.test(text))) {
      throw new NcclTestsError(
        'a second program begins before the first one has ended: it is unknown whose rows these are',
      );
    }
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
      this.hasNoWrongRow = /^0 OK/.test(value);
      if (value.includes('FAILED')) found.problems.push(`wrong data: out of bounds values: ${value}`);
    } else if (key === 'Avg bus bandwidth') {
      this.hasFigures = true;
      this.meanGBps = numberOf(value.split(' ')[0]);
      if (value.endsWith('FAILED')) found.problems.push(slowBusBandwidth);
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
    const group = /\bGroup\s+(\d+)\b/.exec(text)?.[1];
    const device = /Rank\s+(\d+) (?:.*?Pid\s+\d+ )?on\s+(\S+) device\s+\d+ \[[^\]]+\] (.*)$/.exec(text);
    if (device === null) return;
    const [, rank, host = '', name = ''] = device;
    const member = group === undefined ? {} : { group: Number(group) };
    this.found.devices.push({ rank: Number(rank), host, name, ...member });
  }

  /**
   * Returns the number of ranks of one communicator; if the program was split into groups (NCCL_TESTS_SPLIT), that of one group.
   * Also sets `groups` and `hasAllDevices` of the result.
   * @returns null if no device is listed; also null, with a problem for the user, if the list has gaps because lines are missing or
   * were changed
   * @throws {NcclTestsError} if groups have different sizes
   */
  private ranks(): number | null {
    const { devices, problems } = this.found;
    const listed = new Set(devices.map(({ rank }) => rank));
    const highest = devices.reduce((most, { rank }) => Math.max(most, rank), -1);
    if (listed.size < highest + 1) {
      problems.push(`the list of devices has ${listed.size} ranks, of which the highest is ${highest}`);
      return null;
    }
    const groups = new Map<number, number>();
    for (const { group = 0 } of devices) groups.set(group, (groups.get(group) ?? 0) + 1);
    const sizes = [...new Set(groups.values())];
    if (sizes.length > 1) {
      throw new NcclTestsError(
        `the output is of ${groups.size} groups of ${sizes.join(' and ')} ranks at the same time (NCCL_TESTS_SPLIT): its rows do not say of which`,
      );
    }
    this.found.groups = Math.max(1, groups.size);
    this.found.hasAllDevices = listed.size > 0;
    return sizes[0] ?? null;
  }

  /** Marks rows that print the largest error as free of wrong elements, because the program found no error above its limit. */
  private markErrorsInBounds(): void {
    for (const half of this.found.rows.flatMap(({ outOfPlace, inPlace }) => [outOfPlace, inPlace])) {
      if (half !== null && numberOf(half.printed.error) !== null) half.wrong = 0;
    }
  }

  result(): NcclTestsResult {
    this.endRow();
    const { found } = this;
    found.program ??= this.command;
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
    if (this.hasNoWrongRow) this.markErrorsInBounds();
    const differs = meanDiffers(found.rows, this.meanGBps);
    if (differs !== '') found.problems.push(differs);
    found.ranks = this.ranks();
    const hasEnd = this.hasFigures && (this.isConcluded || !this.isStarted);
    found.complete = hasEnd && !this.hasFailed && found.rows.length > 0;
    if (!hasEnd)
      found.problems.push('the closing lines are missing: the run did not end, or its output was cut');
    return found;
  }
}
