/**
 * Runs `work` with stdout and stderr redirected to a simulated terminal. The terminal understands the control sequences that tables
 * use: line feed, carriage return, colours, "up and erase below", "erase the line".
 * @param columns width in characters
 * @param rows height in lines; null = stdout is not a terminal
 */
export function withScreen(columns: number, rows: number | null, work: (screen: TestScreen) => void): void {
  const screen = new TestScreen(columns, rows);
  try {
    work(screen);
  } finally {
    screen.end();
  }
}

export class TestScreen {
  /** All text written to the simulated stdout so far, control sequences included. */
  raw = '';
  private readonly lines: string[] = [''];
  private row = 0;
  private lastProgress = '';
  private readonly restore: () => void;

  /** @param rows height of the terminal; null = stdout is no terminal */
  constructor(columns: number, rows: number | null) {
    const { stdout, stderr } = process;
    const before = [
      { of: stdout, write: stdout.write, isTTY: stdout.isTTY, columns: stdout.columns, rows: stdout.rows },
      { of: stderr, write: stderr.write, isTTY: stderr.isTTY, columns: stderr.columns, rows: stderr.rows },
    ];
    const environment = { ...process.env };
    process.env.TERM = 'xterm';
    process.env.LC_ALL = 'C.UTF-8';
    process.env.NO_COLOR = '1';
    process.env.COLUMNS = String(columns);
    delete process.env.COLLBENCH_LIVE;
    for (const { of } of before) Object.assign(of, { isTTY: rows !== null, columns, rows: rows ?? 0 });
    stdout.write = ((text: string) => this.take(text)) as typeof stdout.write;
    stderr.write = ((text: string) => this.hear(text)) as typeof stderr.write;
    this.restore = () => {
      process.env = environment;
      for (const { of, ...values } of before) Object.assign(of, values);
    };
  }

  /** Restores stdout and stderr. */
  end(): void {
    this.restore();
  }

  text(): string {
    return this.lines.join('\n');
  }

  /** Last text of the progress line on stderr, control sequences included; "" if none was written. */
  progress(): string {
    return this.lastProgress;
  }

  /**
   * Number of lines on the screen below the title lines of the run. The title lines end with an empty line and are never replaced.
   */
  liveLines(): number {
    const head = this.lines.indexOf('');
    return this.lines.length - 1 - head;
  }

  private take(text: string): boolean {
    this.raw += text;
    const up = new RegExp(`^${String.fromCharCode(27)}\\[(\\d+)A\\r${String.fromCharCode(27)}\\[J$`).exec(
      text,
    );
    if (up !== null) {
      this.row -= Number(up[1]);
      if (this.row < 0) throw new Error('up beyond the first line');
      this.lines.splice(this.row, this.lines.length, '');
      return true;
    }
    const [first = '', ...others] = text.split('\n');
    this.lines[this.row] = (this.lines[this.row] ?? '') + first;
    for (const line of others) this.lines[++this.row] = line;
    return true;
  }

  private hear(text: string): boolean {
    if (text.includes('measurements')) this.lastProgress = text;
    return true;
  }
}
