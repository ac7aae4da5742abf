export interface ReportAnswer {
  /** Answer in a word: "Yes", "Not known"; empty if the text is the answer. */
  word: string;
  /** Sentences without full stops. */
  texts: string[];
}
