/** `train -- COMMAND` measures steps of that program: the words behind `--` become one option of the command `script`. */
export function withProgram(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  if (at < 0 || (words[0] !== 'train' && words[0] !== 'script')) return words;
  return ['script', ...words.slice(1, at), '--command', JSON.stringify(words.slice(at + 1))];
}
