// Runs an nccl-tests program once as a child process, and parses its output.
import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { readPlainTextSync, UnreadableFile } from '../../results/files/plain.ts';
import { parseNcclTests } from '../../results/import/nccl-tests.ts';
import { NcclTestsError, type NcclTestsResult } from '../../results/import/nccl-tests-result.ts';
import { type Failure, failureWith } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { startChild } from '../launchers/local.ts';

export interface NcclTestsCall {
  /** Name of the program in messages: "all_reduce_perf", "mpirun all_reduce_perf". */
  name: string;
  /** Path of the nccl-tests program, or of mpirun if mpirun starts it. */
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  timeoutS: number;
  /** Name of the phase in failures of this call, such as "OSU"; absent = nccl-tests. */
  phase?: string;
  /**
   * Path, without extension, of the file in which stdout is saved (`<keep>.txt`); an existing file is replaced. Null = stdout is
   * not saved.
   */
  keep: string | null;
}

/** Maximum size in bytes of the JSON file whose path the output contains. */
const maxJsonBytes = 64 * 2 ** 20;

/**
 * Meanings of nccl-tests' exit codes (2.19, src/common.h, testResult_t), worded to follow "ended with exit code 3:". mpirun passes
 * the codes on. Codes that are missing are called "not known".
 */
const meanings: Record<number, string> = {
  1: 'an internal error',
  2: 'an error of CUDA',
  3: 'an error of NCCL',
  4: 'its own timeout',
  5: 'something it has not implemented',
  6: 'invalid usage',
  7: 'wrong data',
  127: 'a program or library that was not found',
  255: 'arguments it does not take',
};

/**
 * Returns the name of the signal that killed the program, from an exit code of 128 + signal number, which mpirun and
 * shells use. Null for other codes.
 */
const signalIn = (code: number | null): string | null =>
  Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0] ?? null;

const commandOf = ({ file, args }: NcclTestsCall) => [file, ...args].join(' ');

export function ncclTestsFailure(
  call: NcclTestsCall,
  parts: Partial<Failure> & Pick<Failure, 'kind' | 'message'>,
) {
  return new FailureError(
    failureWith({ phase: call.phase ?? 'nccl-tests', next: commandOf(call), ...parts }),
  );
}

/**
 * Watches the deadline and the abort signal of a call. `over` never resolves; it rejects with a FailureError of kind hang
 * (deadline) or interrupted (abort, also before the call). `release` ends the watching. The caller must kill the program.
 */
function limit(call: NcclTestsCall, signal: AbortSignal): { over: Promise<never>; release: () => void } {
  const { name } = call;
  let release: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      const message = `${name} did not end within ${call.timeoutS} s and was killed`;
      reject(ncclTestsFailure(call, { kind: 'hang', message }));
    }, call.timeoutS * 1000);
    const onAbort = () => {
      const message = `interrupted while ${name} was running`;
      reject(ncclTestsFailure(call, { kind: 'interrupted', message, next: null }));
    };
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  return { over, release };
}

/**
 * Runs the program to its end. On deadline or abort its whole process group is killed first. If the call has `keep`, stdout is
 * saved in each case, also after a failure.
 * @returns the program's stdout, its exit code, which may be other than 0, and the last lines of stderr
 * @throws FailureError of kind setup (it cannot be started), hang (deadline), interrupted (abort), rank-died (killed by a signal),
 * disk (its output cannot be saved)
 */
export async function call(
  request: NcclTestsCall,
  signal: AbortSignal,
): Promise<{ text: string; code: number; errors: string[] }> {
  const child = startChild('localhost', request.file, request.args, request.env);
  let text = '';
  child.output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = new Promise<void>((resolve) => child.output.once('close', () => resolve()));
  const ended = child.exit.then(async (exit) => {
    if (exit.startError === null) await closed;
    return exit;
  });
  const { over, release } = limit(request, signal);
  try {
    const exit = await Promise.race([over, ended]);
    const errors = child.stderrTail();
    if (exit.startError !== null) {
      const message = `${request.file} cannot be started: ${exit.startError.message}`;
      throw ncclTestsFailure(request, { kind: 'setup', message, next: null });
    }
    const killer = exit.signal ?? signalIn(exit.code);
    if (killer !== null) {
      const message = `${request.name} was killed by ${killer}`;
      throw ncclTestsFailure(request, {
        kind: 'rank-died',
        message,
        details: [...errors, ...lastWords(text)],
      });
    }
    return { text, code: exit.code ?? 1, errors };
  } finally {
    release();
    // mpirun gives its own processes a second or two to end, so SIGTERM gets a long grace.
    await child.stop({ endMs: 0, termMs: 10_000 });
    if (request.keep !== null) keep(request, `${request.keep}.txt`, text);
  }
}

function keep(call: NcclTestsCall, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw ncclTestsFailure(call, { kind: 'disk', message: (error as Error).message, next: null });
  }
}

const lastWords = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5);

/**
 * Parses the text that nccl-tests printed, and the JSON file that the text names. JSON has more digits, but the text says more
 * about errors. Rows come from the JSON file only if it is readable, complete and has as many rows as the text.
 * @throws NcclTestsError if the text is no output of nccl-tests
 */
function resultOf(text: string): NcclTestsResult {
  const file = /^# Writing JSON output to (.+)$/m.exec(text)?.[1];
  const printed = parseNcclTests(text);
  if (file === undefined || !existsSync(file)) return printed;
  try {
    const { complete, rows, ncclVersion } = parseNcclTests(readPlainTextSync(file, maxJsonBytes));
    if (!complete || rows.length !== printed.rows.length) return printed;
    return { ...printed, rows, ncclVersion: printed.ncclVersion ?? ncclVersion };
  } catch (error) {
    if (error instanceof NcclTestsError || error instanceof UnreadableFile) return printed;
    throw error;
  }
}

/**
 * Runs an nccl-tests program once and checks its results.
 * @throws FailureError as call() does; also of kind wrong-data or incomplete if the output says so, and of kind setup
 * if the output cannot be parsed or the exit code is not 0
 */
export async function measureTheirs(request: NcclTestsCall, signal: AbortSignal): Promise<NcclTestsResult> {
  const { text, code, errors } = await call(request, signal);
  const { name } = request;
  const words = [...errors, ...lastWords(text)];
  let result: NcclTestsResult;
  try {
    result = resultOf(text);
  } catch (error) {
    if (!(error instanceof NcclTestsError)) throw error;
    const hint =
      text !== '' && name.startsWith('mpirun ')
        ? ['mpirun must be the one of the MPI that the program was built with (--mpirun PATH).']
        : [];
    const meaning = code === 0 ? '' : ` (exit code ${code}: ${meanings[code] ?? 'not known'})`;
    throw ncclTestsFailure(request, {
      kind: 'setup',
      message: `${name}${meaning}: ${error.message}`,
      details: [...words, ...hint],
    });
  }
  const wrong = result.rows.find((row) => (row.outOfPlace.wrong ?? 0) > 0 || (row.inPlace?.wrong ?? 0) > 0);
  if (wrong !== undefined) {
    const message = `${name} reports wrong data: ${wrong.outOfPlace.wrong || wrong.inPlace?.wrong} elements at ${wrong.sizeBytes} B`;
    throw ncclTestsFailure(request, { kind: 'wrong-data', message, details: result.problems });
  }
  if (code !== 0) {
    const message = `${name} ended with exit code ${code}: ${meanings[code] ?? 'not known'}`;
    throw ncclTestsFailure(request, { kind: 'setup', message, details: words });
  }
  if (!result.complete) {
    const message = `${name} ended early: ${result.rows.length} sizes were measured`;
    throw ncclTestsFailure(request, { kind: 'incomplete', message, details: result.problems });
  }
  return result;
}
