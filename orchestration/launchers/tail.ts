const tailLines = 20;
const tailBytes = 16 * 1024;
/** Of a line that does not end, so much is handed over at once. */
const longestLine = 4096;

/** What an agent writes to stderr: its end is kept, and its lines can be listened to. */
export class OutputTail {
  private text = '';
  private unfinished = '';
  private listener: ((line: string) => void) | null = null;

  add(text: string): void {
    this.text = (this.text + text).slice(-tailBytes);
    if (this.listener === null) return;
    const lines = (this.unfinished + text).split(/\r?\n/);
    this.unfinished = lines.pop() ?? '';
    if (this.unfinished.length > longestLine) lines.push(this.takeUnfinished());
    for (const line of lines) if (line !== '') this.listener(line);
  }

  /** Nothing more comes: a line without its end is handed over, too. */
  end(): void {
    const rest = this.takeUnfinished();
    if (rest !== '') this.listener?.(rest);
  }

  /** Hands over every line, those kept so far first. One listener at most. */
  listen(listener: (line: string) => void): void {
    this.listener = listener;
    const { text } = this;
    this.text = '';
    this.add(text);
  }

  /** Oldest first. */
  lines(): string[] {
    return this.text.split(/\r?\n/).filter(Boolean).slice(-tailLines);
  }

  private takeUnfinished(): string {
    const { unfinished } = this;
    this.unfinished = '';
    return unfinished;
  }
}
