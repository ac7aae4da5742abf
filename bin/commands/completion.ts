import { CommandError, type ExitCode, exitCode } from '../exit.ts';
import { type Flag, flags, keyOfName, keyOfShort, optionKeys } from '../options.ts';
import { topics } from '../topics.ts';
import { commands, findCommand, isMeasuring } from './index.ts';

// Words come one per line; a line "file" or "folder" asks the shell for its own completion of paths.
const scripts: Record<string, string> = {
  bash: `_collbench() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _collbench collbench
`,
  zsh: `#compdef collbench
_collbench() {
  local -a found
  found=("\${(@f)$("\${words[1]}" --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _collbench collbench
`,
};

export function completion(shell: string | undefined): ExitCode {
  const script = shell === undefined ? undefined : scripts[shell];
  if (script === undefined) {
    throw new CommandError(
      shell === undefined ? 'completion: which shell?' : `completion ${shell}: no script for it`,
      [`  allowed: ${Object.keys(scripts).join(', ')}`, 'Next: source <(collbench completion bash)'],
    );
  }
  process.stdout.write(script);
  return exitCode.ok;
}

/** What may stand at the last of these words; no words when the shell should complete a path. */
export function suggestions(words: readonly string[]): string[] {
  const [name, ...rest] = words;
  const current = words.at(-1) ?? '';
  if (name === undefined || words.length === 1)
    return [...commands.map((command) => command.name), '--help', '--version'];
  const before = rest.length > 1 ? (rest.at(-2) as string) : '';
  if (name === 'completion') return Object.keys(scripts);
  if (name === 'help') return [...commands.map((command) => command.name), ...Object.keys(topics), 'options'];
  if (isMeasuring(name)) {
    const key = before.startsWith('--') ? keyOfName(before.slice(2)) : keyOfShort(before.slice(1));
    const flag: Flag<unknown> | undefined =
      key === undefined || !before.startsWith('-') ? undefined : flags[key];
    if (flag?.value !== undefined) return [...(flag.words ?? [])];
    return optionKeys.map((option) => `--${flags[option].name}`);
  }
  return current.startsWith('-')
    ? Object.keys(findCommand(name)?.flags ?? {}).map((flag) => `--${flag}`)
    : [];
}

/** Answers the scripts above. */
export function complete(words: readonly string[]): ExitCode {
  process.stdout.write(
    suggestions(words)
      .map((word) => `${word}\n`)
      .join(''),
  );
  return exitCode.ok;
}
