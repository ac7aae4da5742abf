/** A word, and what it means where the shell can show that. */
export interface Candidate {
  word: string;
  about?: string;
}
/** Words of ours, or the names of files. */
export type Offer = readonly Candidate[] | 'files';
