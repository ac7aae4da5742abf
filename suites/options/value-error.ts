/** Error of a parser about an option's value. Its message is a phrase that completes "--min 7: ...". */
export class ValueError extends Error {
  /** An allowed value that the user probably meant; null if none is similar. */
  readonly meant: string | null;

  constructor(message: string, meant: string | null = null) {
    super(message);
    this.meant = meant;
  }
}
