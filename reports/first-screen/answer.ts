export interface ReportAnswer {
  /** Short answer that is printed first: "Yes", "Not known"; empty if `texts` alone are the answer. */
  word: string;
  /** Sentences that explain the answer, without full stops. */
  texts: string[];
}
