import { CommandError, type ExitCode } from '../exit.ts';

export async function exportRun(asked: {
  run: string;
  root?: string | undefined;
  out?: string | undefined;
}): Promise<ExitCode> {
  throw new CommandError(`export ${asked.run}: not written yet`);
}
