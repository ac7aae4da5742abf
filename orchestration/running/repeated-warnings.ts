/**
 * Shows each warning of ranks only once in a run, because a library repeats it on every rank and in every launch. Warnings are
 * equal if they differ only in numbers, or in the stack of a rank that did not end.
 */
export class RepeatedWarnings {
  private readonly shown = new Set<string>();
  private left = 0;

  /** True if the warning is shown for the first time; otherwise it is counted as hidden. */
  isNew(text: string): boolean {
    const shape = text.replace(/; stack: .*$/s, '').replace(/\d+/g, '#');
    if (this.shown.has(shape)) {
      this.left += 1;
      return false;
    }
    this.shown.add(shape);
    return true;
  }

  /** Number of warnings that were hidden since the last call of this function. */
  takeLeft(): number {
    const { left } = this;
    this.left = 0;
    return left;
  }
}
