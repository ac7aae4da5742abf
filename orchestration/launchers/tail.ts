const tailLines = 20;
const tailBytes = 16 * 1024;
/** Number of characters from which an unfinished line is passed to the listener without waiting for its end. */
const longestLine = 4096;

/**
 * Keeps the last 20 lines, at most 16 KiB, of an agent's stderr; a listener can receive all lines. add() takes pieces of text,
 * which may end within a line.
 */
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

  /** Ends the output. A last line without a newline is passed to the listener, too, if there is one. */
  end(): void {
    const rest = this.takeUnfinished();
    if (rest !== '') this.listener?.(rest);
  }

  /**
   * Calls the listener for every line that is not empty, starting with the lines that are kept. A new listener replaces the
   * previous one.
   */
  listen(listener: (line: string) => void): void {
    this.listener = listener;
    const { text } = this;
    this.text = '';
    this.add(text);
  }

  /** Returns the last lines without newlines, at most `tailLines`, oldest first; empty lines are left out. */
  lines(): string[] {
    return this.text.split(/\r?\n/).filter(Boolean).slice(-tailLines);
  }

  private takeUnfinished(): string {
    const { unfinished } = this;
    this.unfinished = '';
    return unfinished;
  }
}
