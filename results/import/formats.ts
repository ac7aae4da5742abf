import { isFields } from '../collections.ts';
import { isCollectivex, readCollectivex } from './collectivex.ts';
import { isDeepep, readDeepep } from './deepep.ts';
import { fromNcclTests } from './from-nccl-tests.ts';
import { imbTitle, isImb, readImb } from './imb.ts';
import { ImportError, type ImportedOutput, type ImportHints } from './imported-output.ts';
import { isInspector, readInspector } from './inspector.ts';
import { parseJson } from './nccl-tests-json.ts';
import { NcclTestsError, type NcclTestsResult } from './nccl-tests-result.ts';
import { ncclTestsPrograms, parseText } from './nccl-tests-text.ts';
import { isNixlbench, nixlbenchHead, readNixlbench } from './nixlbench.ts';
import { isNvbandwidth, nvbandwidthTitle, readNvbandwidth } from './nvbandwidth.ts';
import { isNvshmemPerftest, nvshmemTitle, readNvshmemPerftest } from './nvshmem-perftest.ts';
import { isOsu, osuTitle, readOsu } from './osu.ts';
import { isPerftest, perftestColumns, readPerftest } from './perftest.ts';
import { isRcclCsv, isRcclJson, readRcclCsv, readRcclJson } from './rccl-tests.ts';
import type { ImportSource } from './source.ts';
import { isSuperbench, readSuperbench } from './superbench.ts';
import { isChakra } from './traces/chakra.ts';
import { isExecutionTrace } from './traces/execution.ts';
import { isKineto, readKineto } from './traces/kineto.ts';
import { readOrdered } from './traces/orders.ts';
import { isParam } from './traces/param.ts';
import { isUccPerftest, readUccPerftest, uccTitle } from './ucc-perftest.ts';

/** A format of another program's output that can be imported. */
export interface ImportFormat {
  /** Title for users, one line. */
  title: string;
  /** Content by which files of this format are recognised. The error message lists it if no format is recognised. */
  lookedFor: string;
  /** True if a file has this format, judged by its content alone. */
  recognises(source: ImportSource): boolean;
  /**
   * Matches the lines with which its tables begin. In a log of several programs, the numbers below such a line, up to one of another
   * format, are of this format. Absent if the format has no such line.
   */
  begins?: RegExp;
  /**
   * True for traces that have a job (communication calls of a program) to replay but no times. A run imported from one has no
   * measured results.
   */
  isOrderOnly?: true;
  /**
   * Splits a text with the outputs of several programs and returns each output; a list of one for a single output. Absent if `read`
   * handles several outputs itself.
   */
  split?(text: string): string[];
  /**
   * Reads the content.
   * @param hints what the user states about the output by options, such as the number of ranks
   * @throws ImportError if the content cannot be imported
   */
  read(source: ImportSource, hints: ImportHints): ImportedOutput;
}

function ncclTests(parse: (text: string) => NcclTestsResult) {
  return ({ text }: ImportSource, hints: ImportHints): ImportedOutput => {
    try {
      return fromNcclTests(parse(text), hints);
    } catch (error) {
      if (error instanceof NcclTestsError) throw new ImportError(error.message);
      throw error;
    }
  };
}

/** Matches lines of nccl-tests; every release prints at least one of them. Other text may stand before and after such lines. */
const ncclTestsLine =
  /^\s*#?\s*(?:nThread \d+ nGpus \d+|nccl-tests version|Collective test starting|(?:size\s+count|bytes\s+N)\s+type\b|Using devices\s*$)/m;

/** Matches a line of numbers or a comment, as tables have them. */
const tableLine = /^\s*[#\d]/;

/**
 * Returns a log without the tables of other formats, whose rows could be taken for rows of this format.
 * @param name format of the tables that are kept
 * @param others formats of the other tables
 */
export function tablesOf(text: string, name: FormatName, others: readonly FormatName[]): string {
  let owner: FormatName | null = null;
  const kept = text.split(/(?<=\n)/).filter((line) => {
    const begins = [name, ...others].find((one) => formatOf(one).begins?.test(line));
    owner = begins ?? owner;
    return owner === null || owner === name || !tableLine.test(line);
  });
  return kept.join('');
}

const formatOf = (name: FormatName): ImportFormat => formats[name];

/** All formats that can be imported, in the order in which they are tried; help, errors and tests loop over this table. */
export const formats = {
  'nccl-tests': {
    title: 'nccl-tests: what its programs print, any release, and those of rccl-tests',
    lookedFor: 'a line "# nThread ... nGpus ..." or "#  size  count  type ..."',
    recognises: ({ text, records }) => records.length === 0 && ncclTestsLine.test(text),
    begins: ncclTestsLine,
    split: ncclTestsPrograms,
    read: ncclTests(parseText),
  },
  'nccl-tests-json': {
    title: 'nccl-tests: what -J writes, versions 1 to 3',
    lookedFor: 'a JSON object with "nccl_version" and "version"',
    recognises: ({ records }) =>
      isFields(records[0]) && 'nccl_version' in records[0] && 'version' in records[0],
    read: ncclTests((text) => parseJson(text.trimStart())),
  },
  'rccl-tests-json': {
    title: 'rccl-tests: what -Z json -x writes',
    lookedFor: 'JSON objects with "name", "inPlace" and "algBw"',
    recognises: isRcclJson,
    read: readRcclJson,
  },
  'rccl-tests-csv': {
    title: 'rccl-tests: what -Z csv -x writes',
    lookedFor: 'a first line "numCycle,collective,...,inplace,time,algbw,busbw,#wrong"',
    recognises: isRcclCsv,
    read: readRcclCsv,
  },
  osu: {
    title: 'OSU Micro-Benchmarks: what its programs print',
    lookedFor: 'a line "# OSU MPI ... Test"',
    recognises: isOsu,
    begins: osuTitle,
    read: readOsu,
  },
  imb: {
    title: 'Intel MPI Benchmarks: what IMB-MPI1 prints',
    lookedFor: 'a line "# Benchmarking ..."',
    recognises: isImb,
    begins: imbTitle,
    read: readImb,
  },
  perftest: {
    title: 'perftest (ib_write_bw and its like): what its programs print, and what --out_json writes',
    lookedFor: 'a line "#bytes  #iterations ..." or a JSON object with "test_info" and "results"',
    recognises: isPerftest,
    begins: perftestColumns,
    read: readPerftest,
  },
  nvbandwidth: {
    title: 'nvbandwidth: what it prints, also with -j',
    lookedFor: 'a line "nvbandwidth Version: ..." or a JSON object "nvbandwidth" with "testcases"',
    recognises: isNvbandwidth,
    begins: nvbandwidthTitle,
    read: readNvbandwidth,
  },
  'nvshmem-perftest': {
    title: 'perftest of NVSHMEM: tables of its collectives, puts and gets',
    lookedFor: 'a line "size(B)  scope ..." or "size(B)  count ..." below "#" and the name of a test',
    recognises: isNvshmemPerftest,
    begins: nvshmemTitle,
    read: readNvshmemPerftest,
  },
  'ucc-perftest': {
    title: 'ucc_perftest: what it prints, also with -F',
    lookedFor: 'a line "Collective: ..." and a line "Count  Size  Time, us"',
    recognises: isUccPerftest,
    begins: uccTitle,
    read: readUccPerftest,
  },
  nixlbench: {
    title: 'nixlbench: what it prints',
    lookedFor: 'a line "Block Size (B)  Batch Size ... B/W (GB/Sec)"',
    recognises: isNixlbench,
    begins: nixlbenchHead,
    read: readNixlbench,
  },
  deepep: {
    title: 'DeepEP: what its tests print of dispatch and combine',
    lookedFor: 'a line "[rank 0] Dispatch bandwidth: ... GB/s, avg_t=... us" or "EP: 0/8 | dispatch: ..."',
    recognises: isDeepep,
    read: readDeepep,
  },
  collectivex: {
    title: 'CollectiveX: JSON of a case, of experts or of KV caches',
    lookedFor: 'JSON objects with "record_type": "case-attempt" and "measurement"',
    recognises: isCollectivex,
    read: readCollectivex,
  },
  inspector: {
    title: 'NCCL Inspector: its JSON Lines',
    lookedFor: 'JSON objects with "header" and "coll_perf" or "p2p_perf"',
    recognises: isInspector,
    read: readInspector,
  },
  kineto: {
    title: 'torch.profiler (Kineto): traces in Chrome’s format, of one process, also as .gz',
    lookedFor: 'a JSON object with "traceEvents"',
    recognises: isKineto,
    read: readKineto,
  },
  execution: {
    title: 'PyTorch execution traces (ExecutionTraceObserver): order and sizes of calls, to replay',
    lookedFor: 'a JSON object with "nodes" and a "schema" such as "1.0.1" or "1.1.0-chakra.0.0.4"',
    recognises: isExecutionTrace,
    isOrderOnly: true,
    read: readOrdered,
  },
  chakra: {
    title: 'Chakra execution traces in protobuf: order and sizes of calls, to replay',
    lookedFor: 'a stream of protobuf: a message with a version, then nodes',
    recognises: isChakra,
    isOrderOnly: true,
    read: readOrdered,
  },
  param: {
    title: 'PARAM traces of communication: order and sizes of calls, to replay',
    lookedFor: 'JSON objects with "comms" and "in_msg_size"',
    recognises: isParam,
    isOrderOnly: true,
    read: readOrdered,
  },
  superbench: {
    title: 'SuperBench: results-summary.jsonl',
    lookedFor: 'JSON objects with "node" and metrics such as "nccl-bw/allreduce_8388608_time"',
    recognises: isSuperbench,
    read: readSuperbench,
  },
} as const satisfies Record<string, ImportFormat>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];
