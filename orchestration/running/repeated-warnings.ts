/**
 * Shows each warning of ranks once in a run: a library repeats it on every rank and in every launch. Equal warnings may differ in
 * numbers, and in the stack of a rank that did not end.
 */
export class RepeatedWarnings {
  private readonly shown = new Set<string>();
  private left = 0;

  /** Returns true if the warning is to be shown; otherwise counts it. */
  isNew(text: string): boolean {
    const shape = text.replace(/; stack: .*$/s, '').replace(/\d+/g, '#');
    if (this.shown.has(shape)) {
      this.left += 1;
      return false;
    }
    this.shown.add(shape);
    return true;
  }

  /** Number of warnings that were not shown since the last call. */
  takeLeft(): number {
    const { left } = this;
    this.left = 0;
    return left;
  }
}
