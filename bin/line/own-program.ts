/**
 * Translates `train -- COMMAND`, which measures steps of the user's program, to the command `script`. The words after `--`
 * become the value of --command, as a JSON array. Other lines are returned unchanged.
 */
export function withProgram(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  if (at < 0 || (words[0] !== 'train' && words[0] !== 'script')) return words;
  return ['script', ...words.slice(1, at), '--command', JSON.stringify(words.slice(at + 1))];
}
