/**
 * Splits a log into the outputs of its programs. Logs add colours, time stamps and tags of ranks, pods and hosts to the lines
 * of a program. This file removes them before any format is recognised, so that recognisers and readers see the same lines.
 */
import { stripVTControlCharacters } from 'node:util';

/** The output of one benchmark program that was found in a log. */
export interface LogProgram {
  /**
   * Text before the program's lines that distinguishes this program from others in the log: "host-a", "[1,0]"; "" if there is none.
   */
  tag: string;
  /**
   * Lines of the program, and messages of launchers and other ranks between them, without the tags before them. If the log was cut
   * off, the text does not end with a line feed.
   */
  text: string;
  /** Sentences for readers about lines that could not be used. */
  notices: string[];
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const clock = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?`;
const ctime = String.raw`${day},? ${month} [ \d]?\d ${clock}(?: [A-Z]{2,5})? \d{4}`;
/**
 * Patterns of text before lines that changes from line to line, such as time stamps and log levels. Such text does not identify the
 * program that wrote a line. Longer forms come first.
 */
const stamps = [
  String.raw`\d{4}[-/]\d\d[-/]\d\d[T _]${clock}(?: ?Z| ?[+-]\d\d:?\d\d)?`,
  ctime,
  String.raw`${month} [ \d]?\d ${clock}`,
  String.raw`\d{4}[-/]\d\d[-/]\d\d`,
  clock,
  String.raw`[IWEF]\d{4}(?= )`,
  String.raw`\d{10}(?:\.\d{1,9})?(?!\d)`,
  String.raw`\b(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\b`,
].map((form) => ({ form, at: new RegExp(form, 'y') }));

/** Matches Open MPI's tag without the time before it (openMpiTag has the time, too). The tag occurs in the middle of a line if the program wrote the line in several parts. */
const openMpi = String.raw`\[[^\]\s]{0,200}?\d{1,9},\d{1,9}\](?:\[[^\]\s]{1,200}\])?<std(?:out|err|diag)>:`;
const openMpiTag = new RegExp(String.raw`(?:(?:${ctime}|\d{4}-\d\d-\d\d[T ]${clock})\s?)?(${openMpi})`, 'g');

/** Matches the first words that each program prints whose output can be imported. */
const textStart =
  /#\s*(?:nThread \d+ nGpus|nccl-tests version|Collective test starting|Using devices|size\s+count\s+type\b|bytes\s+N\s+type\b|OSU (?:MPI|NCCL|RCCL|UPC|OpenSHMEM)|Intel\(R\) MPI Bench|Benchmarking \S)|[ \t]*#bytes\s+#(?:repetitions|iterations)|nvbandwidth Version: |[ \t]*Block Size \(B\)\s+Batch Size|Collective:\s+[A-Z]\w+\s*$|size\(B\)\s+(?:scope|count)\s|(?:numCycle,)?(?:collective|name),.{0,200}\binplace,time,algbw|rccl-tests: Version/;
const jsonStart = /[{[](?=\s*$|"|\s*\{)/;
const rowStart = /^\s*\d+\s+(?:\d+\s+[a-z]|[\d.]+(?:\s|$))/;
/** Matches a table row behind a tag. Such a row is left out if the tag is not that of a program whose first line was found. */
const taggedRow = /^\S[^#]{0,80}[:|>\]]\s*\d+\s+\d+\s+[a-z]\w*\s/;

const longestPrefix = 160;
const maxPrefixes = 40;

/**
 * A form of text before lines, learned from one line of the log. The capture groups of its pattern make the tag, which can
 * distinguish programs. `lines`: number of lines with this form; `tags`: the different tags of these lines.
 */
interface LogPrefix {
  pattern: RegExp;
  /**
   * True if the prefix consists of numbers alone. Table rows also begin with numbers, so numbers count as a prefix only if at least
   * 95 % of the lines begin with them.
   */
  isBare: boolean;
  lines: number;
  tags: Set<string>;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);

/**
 * Returns a pattern that matches line prefixes of the same form: its time stamps match any time, its other numbers match any
 * number, and its capture groups together are the tag. `isBare` is as in LogPrefix; it is false for a prefix of blanks alone.
 */
function patternOf(prefix: string): { pattern: RegExp; isBare: boolean } {
  const text = prefix.trimEnd();
  let source = '';
  let isBare = true;
  for (let at = 0; at < text.length; ) {
    const stamp = stamps.find((one) => {
      one.at.lastIndex = at;
      return one.at.test(text);
    });
    if (stamp !== undefined) {
      source += stamp.form;
      isBare &&= !/[:-]/.test(text.slice(at, stamp.at.lastIndex));
      at = stamp.at.lastIndex;
      continue;
    }
    const [piece = ''] = /^(?:\d+|\s+|<std(?:out|err|diag)>|[^\d\s])/.exec(text.slice(at)) ?? [];
    const isWord = !/^[\d\s]/.test(piece);
    isBare &&= !isWord;
    if (piece.length > 1 && isWord) source += '(<std(?:out|err|diag)>)';
    else if (isWord) source += `(${escaped(piece)})`;
    else source += /^\d/.test(piece) ? String.raw`(\d+)` : String.raw`\s+`;
    at += piece.length;
  }
  // A prefix of blanks alone comes from pasted text that was indented.
  if (text === '') return { pattern: new RegExp(String.raw`^[ \t]{0,${prefix.length}}`), isBare: false };
  // Blanks belong to the prefix if as many followed the prefix in this line; one, if columns begin with blanks. After Open MPI's tag
  // the blank may be the only separator of two numbers, so it is kept.
  const blanks = Math.max(1, prefix.length - text.length);
  const blank = text.endsWith('>:') && text === prefix ? '' : `[ \\t]{0,${blanks}}`;
  // Each letter is a capture group of its own; neighbouring groups are joined to one.
  return { pattern: new RegExp(`^${source.replaceAll(')(', '')}${blank}`), isBare };
}

/** Returns the tag of a log line without surrounding blanks and colons, and without Open MPI's channel (stdout, stderr). */
const programOf = (tag: string) =>
  tag
    .replace(/<std\w+>/, '')
    .replace(/^[\s>|:=-]+|[\s>|:=-]+$/g, '')
    .trim();

/**
 * Returns the forms of text that launchers put before lines. They are learned from the lines with the first words of known
 * programs. If there is no such form, it is learned from the first line that is not blank, provided that JSON begins in it.
 */
function prefixesIn(lines: readonly string[]): LogPrefix[] {
  const forms = new Map<string, LogPrefix>();
  const learn = (line: string, start: RegExp) => {
    const at = start.exec(line.slice(0, longestPrefix + 200))?.index ?? 0;
    const prefix = line.slice(0, at);
    if (at === 0 || at > longestPrefix || rowStart.test(prefix) || forms.size >= maxPrefixes) return;
    const form = patternOf(prefix);
    const { source } = form.pattern;
    if (!forms.has(source)) forms.set(source, { ...form, lines: 0, tags: new Set() });
  };
  for (const line of lines) if (textStart.test(line)) learn(line, textStart);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const isJson = forms.size === 0 && jsonStart.test(first);
  if (isJson) learn(first, jsonStart);
  return [...forms.values()].map((form) => {
    for (const line of lines) {
      const found = form.pattern.exec(line);
      if (found === null) continue;
      form.lines += 1;
      if (form.tags.size < 10_000) form.tags.add(found.slice(1).join(''));
    }
    return form;
  });
}

/**
 * Splits a log into the outputs of programs that can be imported, without the prefixes of their lines.
 * @returns an element for each tag with a first line of a known program; a single element with all lines and the tag "" if there is
 * no such line
 */
export function logPrograms(content: string): LogProgram[] {
  const lines = stripVTControlCharacters(content).split(/\r*\n/);
  const log = new LogAssembler();
  const filled = lines.filter((line) => line.trim() !== '').length;
  const prefixes = prefixesIn(lines).filter(
    // A prefix that only one line has is part of that line's text. A prefix of numbers must be on nearly all lines.
    ({ lines: all, isBare }) => all >= (isBare ? 0.95 * filled : Math.min(filled, 2)),
  );
  // Numbers that differ in most lines are counters or times; they do not identify a program.
  const counted = new Set(prefixes.filter(({ tags, lines: all }) => tags.size > Math.max(1, all / 2)));
  lines.forEach((line, i) => {
    const isLast = i === lines.length - 1;
    if (isLast && line === '') return;
    const prefix = prefixes.find(({ pattern }) => (pattern.exec(line)?.[0].length ?? 0) > 0);
    const found = prefix?.pattern.exec(line);
    const tag = found == null || prefix === undefined || counted.has(prefix) ? '' : found.slice(1).join('');
    log.take(line.slice(found?.[0].length ?? 0), found == null ? null : tag, isLast);
  });
  return log.programs();
}

interface LogLine {
  program: string;
  text: string;
}

/**
 * Collects the lines of a log by the program that printed them. Open MPI puts a tag before each write, so a line printed in several
 * writes has tags in its middle, also those of other ranks; the parts with equal tags are joined.
 */
class LogAssembler {
  private readonly lines: LogLine[] = [];
  /** Beginnings of lines whose end was not read yet, by tag. */
  private readonly begun = new Map<string, string>();
  private cut: LogLine | null = null;

  /**
   * Adds a line of the log.
   * @param tag tag of the prefix that was removed from the line; null if the line had no known prefix
   * @param isCut true if the line has no end, because the log was cut off
   */
  take(line: string, tag: string | null, isCut: boolean): void {
    const outer = tag?.replace(openMpiTag, '') ?? '';
    let [own, from] = [tag ?? '', 0];
    for (const { index, 0: all, 1: next = '' } of line.matchAll(openMpiTag)) {
      // Text before the first tag of a line without a known prefix comes from a launcher: it is no beginning of a program's line.
      if (index > 0 && from === 0 && tag === null)
        this.lines.push({ program: '', text: line.slice(0, index) });
      else if (index > from) this.add(own, line.slice(from, index));
      [own, from] = [outer + next, index + all.length];
    }
    this.add(own, line.slice(from));
    const text = this.begun.get(own) ?? '';
    this.begun.delete(own);
    const ended = { program: programOf(own), text };
    if (isCut) this.cut = ended;
    else this.lines.push(ended);
  }

  private add(tag: string, text: string): void {
    this.begun.set(tag, (this.begun.get(tag) ?? '') + text);
  }

  programs(): LogProgram[] {
    const begins = new Set(
      this.lines.filter(({ text }) => textStart.test(text)).map(({ program }) => program),
    );
    const tags = begins.size === 0 ? [null] : [...begins];
    // A row without an end was cut off, like the last line of the log.
    const cut = [...this.begun].map(([tag, text]) => ({ program: programOf(tag), text }));
    return tags.map((tag) => {
      // Rows of other programs are left out; messages of launchers and of other ranks are kept.
      const isOther = ({ program, text }: LogLine) =>
        tag !== null && program !== tag && (begins.has(program) || rowStart.test(text));
      const left = this.lines.filter(
        (line) => tag !== null && !begins.has(line.program) && (isOther(line) || taggedRow.test(line.text)),
      ).length;
      const kept = this.lines.filter((line) => !isOther(line)).map(({ text }) => `${text}\n`);
      const open = [...cut, ...(this.cut === null ? [] : [this.cut])].filter((line) => !isOther(line));
      return {
        tag: tag ?? '',
        text: kept.join('') + open.map(({ text }) => text).join(' '),
        notices:
          left === 0 ? [] : [`${left} lines that look like rows are left out: they have another tag or none`],
      };
    });
  }
}
