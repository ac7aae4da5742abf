import { replaceWhole } from '../files/whole.ts';
import type { RecordedJob } from './communicators.ts';
import { requestedBytes } from './functions.ts';
import { numberingOf, type RankNumbering } from './job-ranks.ts';
import type { RankRecord, RecordedCall } from './read.ts';

/** Highest number of calls that are written for one process on one communicator; viewers cannot show more. */
const maxCalls = 20_000;

/**
 * Writes the first calls of all ranks to a file in the Trace Event Format, which Perfetto and chrome://tracing open; an existing
 * file is replaced. In the file each rank is a process; each communicator has one row for its calls and one for its kernels. All
 * times are on one clock. Rejects with the error of the file system if the file cannot be written.
 */
export async function writeTimeline(file: string, recorded: RecordedJob): Promise<void> {
  const numberOf = numberingOf(recorded);
  const events = recorded.records.flatMap((record, row) => eventsOf(record, row, numberOf));
  await replaceWhole(file, `${JSON.stringify({ displayTimeUnit: 'ns', traceEvents: events })}\n`);
}

function eventsOf(record: RankRecord, row: number, numberOf: RankNumbering): object[] {
  const { host, pid, calls, communicator, name } = record;
  const rank = numberOf(record) ?? record.rank;
  const place = { pid, tid: 2 * row };
  const shown = calls.slice(0, maxCalls);
  const origin = shown.find(({ device }) => device !== null);
  return [
    { ph: 'M', name: 'process_name', pid, args: { name: `rank ${rank}, ${host} ${pid}` } },
    { ph: 'M', name: 'thread_name', ...place, args: { name: name || communicator } },
    ...shown.map((call) => ({ ...eventOf(call), ...place, ts: call.startNs / 1000, dur: call.ns / 1000 })),
    ...(origin?.device == null
      ? []
      : kernelEvents(shown, origin.device.atNs, origin.startNs).map((one) => ({
          ...one,
          pid,
          tid: 2 * row + 1,
        }))),
  ];
}

/**
 * Returns the kernels of `calls` as trace events on the host's clock. Device and host clocks are assumed to run at the same rate;
 * the first timed kernel is aligned with the start of its call.
 * @param fromNs start of the first timed kernel on the device clock
 * @param atNs start of that kernel's call on the host clock
 */
const kernelEvents = (calls: readonly RecordedCall[], fromNs: bigint, atNs: number) =>
  calls.flatMap((call) =>
    call.device === null
      ? []
      : [
          {
            ...eventOf(call),
            ts: (Number(call.device.atNs - fromNs) + atNs) / 1000,
            dur: call.device.ns / 1000,
          },
        ],
  );

const eventOf = (call: RecordedCall) => ({
  ph: 'X',
  name: call.function,
  args: {
    bytes: requestedBytes(call),
    ...(call.peer === null ? {} : { peer: call.peer }),
    ...(call.algorithm === '' ? {} : { algorithm: call.algorithm }),
  },
});
