import { lookUp } from '../collections.ts';
import { type CollectiveName, dtypeBytes, dtypeNames, opNames, shareOfLink } from '../schema/index.ts';
import { requireFittingHints } from './from-nccl-tests.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  ranksOf,
  shortenText,
  timeUnless,
} from './imported-output.ts';
import { printedNumber, ratesAgree, wholeNumberOf } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { abortWords, textLines } from './text-lines.ts';

export const uccTitle = /^\s*Collective:\s+(\S+)\s*$/;
const tableHead = /^\s*Count\s+Size\s+Time, us/;

export const isUccPerftest = ({ text, records }: ImportSource): boolean => {
  const lines = records.length === 0 ? text.split('\n') : [];
  return lines.some((line) => uccTitle.test(line)) && lines.some((line) => tableHead.test(line));
};

/** Collectives by the name that ucc_perftest prints; `parts`: the printed size is that of one rank's part. */
const collectives: Record<string, { name: CollectiveName; parts?: true }> = {
  allreduce: { name: 'allreduce' },
  bcast: { name: 'broadcast' },
  reduce: { name: 'reduce' },
  allgather: { name: 'allgather', parts: true },
  alltoall: { name: 'alltoall', parts: true },
  reduce_scatter: { name: 'reducescatter', parts: true },
  gather: { name: 'gather', parts: true },
  scatter: { name: 'scatter', parts: true },
};

type Section = Record<string, string>;

/**
 * Reads what ucc_perftest prints: one or several collectives over the same ranks. Unknown collectives are left out with a notice.
 * @throws ImportError if no collective can be imported, if the user did not give the number of ranks, or if that number contradicts
 * the printed bandwidths
 */
export function readUccPerftest({ text }: Pick<ImportSource, 'text'>, hints: ImportHints): ImportedOutput {
  const ranks = ranksOf('ucc_perftest', null, hints);
  const { lines, isWhole, notices } = textLines(text);
  const rows: ImportedRow[] = [];
  const unknown = new Set<string>();
  let isAborted = false;
  let section: Section | null = null;
  let isTable = false;
  for (const line of lines) {
    const name = uccTitle.exec(line)?.[1];
    const [, key, value] = /^\s*([A-Z][\w ]{1,30}):\s+(\S.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      section = { Collective: name.toLowerCase() };
      isTable = false;
      if (lookUp(collectives, section.Collective ?? '') === undefined) unknown.add(shortenText(name, 40));
    } else if (tableHead.test(line)) isTable = true;
    else if (abortWords.test(line)) {
      isAborted = true;
      notices.push(shortenText(line.trim(), 200));
    } else if (!isTable && section !== null && key !== undefined && value !== undefined) section[key] = value;
    else if (isTable && section !== null && /^\s*\d+\s+\d+\s+\S/.test(line)) {
      const words = line.trim().split(/\s+/);
      const row = words.length === 5 || words.length === 8 ? rowOf(section, words, ranks) : null;
      if (row !== null) rows.push(row);
      else if (lookUp(collectives, section.Collective ?? '') !== undefined)
        notices.push(`a line is left out, its columns do not fit: ${shortenText(line.trim())}`);
    }
  }
  if (rows.length === 0 && unknown.size > 0)
    throw new ImportError(
      `ucc_perftest's collective '${[...unknown][0]}' is none of those that can be imported`,
      [`  known: ${Object.keys(collectives).join(', ')}`],
    );
  for (const name of unknown) notices.push(`${name} is left out: it is none of those that can be imported`);
  requireFittingHints(rows, { ...hints, ranks });
  return {
    ...notPrinted,
    series: 'ucc-perftest',
    program: 'ucc_perftest',
    engine: 'ucc',
    ranks,
    statistic: 'mean over iterations and ranks',
    method: { clock: 'host clock of each process', sync: 'none', batch: 0 },
    rows,
    complete: isWhole && !isAborted && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'size: that of one rank x ranks for allgather, alltoall, reduce_scatter, gather and scatter',
      'bandwidths: computed from size and time, and compared with those printed (-F)',
    ],
    unknown: ['root', 'transport', 'algorithm', 'hosts', 'versions'],
    notices,
  };
}

function rowOf(section: Section, words: readonly string[], ranks: number): ImportedRow | null {
  const known = lookUp(collectives, section.Collective ?? '');
  const [count, size] = words.slice(0, 2).map(wholeNumberOf);
  if (known === undefined || count == null || size == null) return null;
  const dtype = dtypeNames.find((name) => name === (section.Datatype ?? section['Data type'])) ?? 'unknown';
  const printedOp = (section.Reduction ?? section['Operation type'] ?? '').toLowerCase();
  const payloadBytes = size * (known.parts === true ? ranks : 1);
  const reason = contradictionIn(
    words,
    { name: known.name, payloadBytes, ranks },
    dtype === 'unknown' ? null : [count, size, dtypeBytes[dtype]],
  );
  return {
    ...plainRow,
    operation: known.name,
    variant:
      section['Memory type'] === undefined || section['Memory type'] === 'host'
        ? ''
        : shortenText(section['Memory type'], 40),
    dtype,
    op: opNames.find((name) => name === printedOp) ?? null,
    inPlace: section.Inplace === '1',
    payloadBytes,
    count,
    trial: 'pipelined',
    ...timeUnless(reason, (printedNumber(words[2])?.value ?? 0) * 1000),
    printed: Object.fromEntries(
      ['count', 'size', 'avg', 'min', 'max', 'bw avg', 'bw max', 'bw min'].flatMap((name, i) => {
        const word = words[i];
        return word === undefined ? [] : [[name, word]];
      }),
    ),
  };
}

/**
 * Returns a sentence if count, size, times and bandwidth of a row contradict each other, or if a time is not printed as a number;
 * null otherwise.
 */
function contradictionIn(
  words: readonly string[],
  { name, payloadBytes, ranks }: { name: CollectiveName; payloadBytes: number; ranks: number },
  lengths: readonly [count: number, size: number, elementBytes: number] | null,
): string | null {
  const [mean, least, most, rate] = words.slice(2).map(printedNumber);
  if (mean == null || mean.value <= 0)
    return `the time printed is ${shortenText(words[2] ?? '', 40)}: no positive number`;
  if (lengths !== null && lengths[0] * lengths[2] !== lengths[1])
    return `${lengths[0]} elements of ${lengths[2]} bytes are not ${lengths[1]} bytes`;
  if (least == null || most == null || least.value > mean.value || most.value < mean.value)
    return `the mean ${words[2]} is not between ${words[3]} and ${words[4]} µs`;
  if (rate == null || ratesAgree(payloadBytes * shareOfLink(name, ranks), mean, 1000, rate, 1e9)) return null;
  return `${payloadBytes} bytes in ${words[2]} µs are not ${words[5]} GB/s on a link in ${name} over ${ranks} ranks`;
}
