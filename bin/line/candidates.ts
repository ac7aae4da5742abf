/** A completion, with its meaning for shells that can show it. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}
/** Completions, or 'files' if the shell should complete file names. */
export type Completions = readonly CompletionCandidate[] | 'files';
