/** A word, and what it means where the shell can show that. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}
/** Words of ours, or the names of files. */
export type Completions = readonly CompletionCandidate[] | 'files';
