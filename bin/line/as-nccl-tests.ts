// Counts that have another meaning in nccl-tests: a command line of nccl-tests also works here, with a note to the user.

/**
 * Parses an option with a count in any form that nccl-tests accepts: "-g 8", "-g8", "-g=8", "--ngpus 8" or "--ngpus=8".
 * @param at index of the word where the option may start
 * @param letter letter of the option without the dash
 * @param longName long name of the option, without the leading `--`
 * @returns the count and the index of the word after the option; null if the option does not start here
 */
function countAt(
  words: readonly string[],
  at: number,
  letter: string,
  longName: string,
): { count: number; next: number } | null {
  const word = words[at] ?? '';
  const [, joined] = new RegExp(`^(?:-${letter}=?|--${longName}=)(\\d+)$`).exec(word) ?? [];
  if (joined !== undefined) return { count: Number(joined), next: at + 1 };
  const apart = word === `-${letter}` || word === `--${longName}` ? words[at + 1] : undefined;
  return apart !== undefined && /^\d+$/.test(apart) ? { count: Number(apart), next: at + 2 } : null;
}

/**
 * Translates counts in nccl-tests style. "-G 20" (repetitions of a graph) becomes the switch --graph, which is off for "-G 0". "-g
 * 4 -t 2" (GPUs per thread and threads per process) become --ranks 8, because in collbench every rank is a process. --ranks is not
 * added if the line has --ranks, --gpus, --hosts or --hostfile, or if the product is 1.
 * @returns the translated words, and notes for the user about them
 */
export function asNcclTests(words: readonly string[]): { words: string[]; notes: string[] } {
  const kept: string[] = [];
  const dropped: string[] = [];
  let ranks = 1;
  for (let at = 0; at < words.length; ) {
    const graph = countAt(words, at, 'G', 'cudagraph');
    const places = countAt(words, at, 'g', 'ngpus') ?? countAt(words, at, 't', 'nthreads');
    const { next } = graph ?? places ?? { next: at + 1 };
    if (graph !== null) kept.push(`--graph=${graph.count > 0}`);
    else if (places !== null) {
      ranks *= places.count;
      dropped.push(words.slice(at, next).join(' '));
    } else kept.push(words[at] ?? '');
    at = next;
  }
  if (dropped.length === 0) return { words: kept, notes: [] };
  const isSaid = kept.some((word) => /^--(?:ranks|gpus|hosts|hostfile)(?:=|$)/.test(word));
  const isMeant = ranks > 1 && !isSaid;
  const what = isMeant ? `taken as --ranks ${ranks}` : 'left out';
  return {
    words: isMeant ? [...kept, '--ranks', String(ranks)] : kept,
    notes: [`${dropped.join(' ')} (nccl-tests): ${what}; here each rank is a process, one for each GPU`],
  };
}
