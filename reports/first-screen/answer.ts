export interface ReportAnswer {
  /** "Yes", "Not known"; empty where the text is the answer. */
  word: string;
  /** Sentences without full stops. */
  texts: string[];
}
