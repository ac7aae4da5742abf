import { refuse } from '../../results/refusals/refusal.ts';
import { printText } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { offerFirst } from './completions.ts';

/**
 * Completion script for each shell. A script calls collbench with the words typed so far, and reads from its output one line per
 * completion, with a word and its meaning; the line ":files" stands for file names.
 */
const scripts = {
  bash: `_collbench_complete() {
  local line open=\${COMP_WORDS[COMP_CWORD]} quote=
  COMPREPLY=()
  case $open in
    =) open= ;;
    [\\"\\']*) quote=1 open=\${open:1} ;;
    *) open=\${open//\\\\/} ;;
  esac
  compopt -o nosort 2>/dev/null
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$open")
    else
      line=\${line%%$'\\t'*}
      [[ -n $quote ]] || line=\${line// /\\\\ }
      COMPREPLY+=("$line")
    fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" --complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$open" 2>/dev/null)
}
complete -F _collbench_complete collbench
`,
  zsh: `#compdef collbench
_collbench() {
  local line
  local -a found shown
  for line in "\${(@f)$("\${words[1]/#\\~/$HOME}" --complete "\${(@)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      compset -P '--[^=]#='
      _files
      return
    fi
    found+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  compadd -l -V collbench -d shown -a found
}
if [[ $funcstack[1] == _collbench ]]; then
  _collbench "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
  compdef _collbench collbench
fi
`,
  fish: `function __collbench_complete
    set -l words (commandline -opc)
    set -l open (commandline -ct | string replace -r '^["\\']' '' | string unescape)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l found ($program --complete $words[2..-1] "$open" 2>/dev/null)
    if contains -- :files $found
        set -l option (string match -r '^--[^=]*=' -- "$open")
        __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$open") | string replace -r '^' -- "$option"
    else
        printf '%s\\n' $found
    end
end
complete -c collbench -f -k -a '(__collbench_complete)'
`,
} as const;
const shells = Object.keys(scripts);
const isShell = (word: string | undefined): word is keyof typeof scripts =>
  word !== undefined && Object.hasOwn(scripts, word);

export const completion = defineCommand({
  command: 'completion [shell]',
  describe: 'Print the completion script of a shell.',
  examples: [
    ['source <(collbench completion bash)', 'in ~/.bashrc'],
    ['source <(collbench completion zsh)', 'in ~/.zshrc'],
    ['collbench completion fish > ~/.config/fish/completions/collbench.fish', 'once'],
  ],
  argument: { help: shells.join(', ') },
  options: {},
  offer: offerFirst(shells),
  handler({ shell }) {
    if (!isShell(shell)) throw refuse('no-completion', { shell, shells });
    printText(scripts[shell]);
  },
});
