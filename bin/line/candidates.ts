/** A word that completion offers, with its meaning for shells that can show it. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}
/** Words that completion offers, or 'files' if the shell should complete file names. */
export type Completions = readonly CompletionCandidate[] | 'files';
