/**
 * Warnings of ranks, each shown once in a run: a library below them says the same on every rank and in every launch. Two that
 * differ in numbers only are the same, or in where a rank stood that did not end.
 */
export class RepeatedWarnings {
  private readonly shown = new Set<string>();
  private left = 0;

  /** Whether this one is to be shown; else it is counted. */
  isNew(text: string): boolean {
    const shape = text.replace(/; stack: .*$/s, '').replace(/\d+/g, '#');
    if (this.shown.has(shape)) {
      this.left += 1;
      return false;
    }
    this.shown.add(shape);
    return true;
  }

  /** How many were not shown since this was last asked. */
  takeLeft(): number {
    const { left } = this;
    this.left = 0;
    return left;
  }
}
