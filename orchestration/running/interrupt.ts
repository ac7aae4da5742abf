import { exitCode } from '../../results/verdicts/exit-code.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Handles Ctrl-C, SIGTERM and SIGHUP from its creation until release(). The first signal aborts `signal`; the run then stores its
 * data and ends its agents. A second signal ends this process immediately; each agent then finds its stdin closed and ends its
 * ranks. A closed stdout, as with `collbench ... | head`, is treated as a first Ctrl-C.
 */
export class InterruptHandler {
  private readonly controller = new AbortController();
  private readonly onSignal = () => {
    if (this.controller.signal.aborted) process.exit(exitCode.interrupted);
    this.controller.abort();
    if (process.stderr.isTTY) process.stderr.write('\ninterrupted: cleaning up (again to leave at once)\n');
  };
  private readonly onPipe = ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') this.controller.abort();
  };

  constructor() {
    for (const signal of signals) process.on(signal, this.onSignal);
    process.stdout.on('error', this.onPipe);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  release(): void {
    for (const signal of signals) process.off(signal, this.onSignal);
    process.stdout.off('error', this.onPipe);
  }
}
