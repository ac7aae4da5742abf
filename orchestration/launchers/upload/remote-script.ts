import { shellWord } from '../../../results/text.ts';
import { StartError } from '../launcher.ts';
import { agentName, type Bundle } from './bundle.ts';

/** Folder and environment of an agent that is uploaded to a host. */
export interface UploadOptions {
  /**
   * Folder for the agent on the host: absolute, or relative to the home folder; the agent stays there for later runs. Null = a
   * default folder.
   */
  remoteDir: string | null;
  /** Environment variables for the agent, added to those of the shell. */
  environment: Readonly<Record<string, string>>;
  /**
   * Name of a subfolder of a default folder, used by one collbench command and then removed with `removalLine`; null, or absent =
   * the agent stays for later commands, in a folder named after its content. Has no effect with `remoteDir`.
   */
  temporaryName?: string | null;
  /** Path of the same agent on a shared file system, where the hosts look for it first; null, or absent = they do not look. */
  sharedPath?: string | null;
}

export interface RemoteScript {
  /** Command for the login shell. It contains no values from options, and every shell reads it in the same way. */
  command: string;
  /**
   * Line for a shell that reads its commands from stdin; the shell prints the word `shell` as answer. The script may only follow
   * after the answer, because shells and `head` read more of stdin than they need.
   */
  firstLine: string;
  /**
   * Script that is sent to the command's stdin first. /bin/sh reads exactly this many bytes (`text.length`) and leaves the rest of
   * stdin to the agent.
   */
  text: Buffer;
}

/**
 * Makes the script that prepares a host and then becomes the agent. Its messages are lines that begin with `marker`, so that other
 * output of a login shell does not disturb: `begin`, `system KERNEL MACHINE`, `libc TEXT`, `nohash`, `tried DIR: WHY`, `contained`
 * (in a container), `nowhere`, `dir PATH` (empty for the shared agent). If files are missing there, also `free KIB`, `file NAME
 * BYTES SHA256` (answer: `put OFFSET` and the bytes from there), `failed NAME: WHY`, `spoiled NAME`. Finally `ready PID` (answer:
 * `run`). Any other answer ends the script.
 * @param marker word without spaces that other output does not contain
 * @throws StartError if a value cannot be passed to a shell
 */
export function remoteScript(
  marker: string,
  bundle: Bundle,
  { remoteDir, environment, temporaryName = null, sharedPath = null }: UploadOptions,
): RemoteScript {
  const isTemporary = remoteDir === null && temporaryName !== null;
  const kib = bundle.files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const values = [
    `M=${shellWord(marker)}`,
    `ID=${shellWord(isTemporary ? temporaryName : bundle.id)}`,
    `R=${shellWord(remoteDir ?? '')}`,
    `T=${isTemporary ? '1' : ''}`,
    `A=${shellWord(sharedPath ?? '')}`,
    `NEED=${kib}`,
    `NAMES=${shellWord(bundle.files.map(({ name }) => name).join(' '))}`,
    `WHOLE=${shellWord(bundle.files.map(({ sha256 }) => sha256).join('\n'))}`,
    `files() {\n${bundle.files.map(({ name, content, sha256 }) => `"$1" ${name} ${content.length} ${sha256} || return`).join('\n')}\n}`,
    `settle() {\n:\n${Object.entries(environment).map(exported).join('\n')}\n}`,
  ];
  const text = Buffer.from(`${values.join('\n')}\n${body}`);
  if (text.includes(0))
    throw new StartError('--remote-dir or a variable contains a NUL, which no process can be given');
  const run = `eval "$(head -c ${text.length})"`;
  return {
    command: `exec /bin/sh -c '${run}'`,
    firstLine: `printf '%s shell\\n' ${shellWord(marker)}; ${run}\n`,
    text,
  };
}

/**
 * Returns a line, with its newline, for a shell on the host that removes a temporary folder of the agent, and the folder around it
 * if that is then empty.
 * @param dir path of the folder, as the script reported it
 */
export function removalLine(dir: string): string {
  const parent = dir.slice(0, dir.lastIndexOf('/'));
  return `rm -rf ${shellWord(dir)}; rmdir ${shellWord(parent)} 2>/dev/null; exit 0\n`;
}

function exported([name, value]: [string, string]): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new StartError(`${JSON.stringify(name)} is no name of an environment variable`);
  return `export ${name}=${shellWord(value)}`;
}

const body = String.raw`
say() { printf '%s %s\n' "$M" "$*"; }
newline='
'
line() { # the same in one line; a process only where there is a second one
  case $1 in *"$newline"*) printf '%s' "$1" | tr '\n' ' ' ;; *) printf '%s' "$1" ;; esac
}
size() { echo $(($(wc -c < "$1"))); }
mask=$(umask); umask 077
printf '\n'; say begin
uid=$(id -u)
set -- $(uname -snm) # always in the order kernel, name, machine
say system "$1" "$3"
node=$2
case $node in *[!A-Za-z0-9_-]*) node=$(printf '%s' "$node" | tr -cd 'A-Za-z0-9_-') ;; esac
say libc "$(line "$(getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>&1 | head -n 2)")"

# The fastest first: openssl uses the instructions that processors have for this.
hashers() { "$1" openssl dgst -sha256 -r || "$1" sha256sum || "$1" shasum -a 256; }
there() { command -v "$1" >/dev/null 2>&1 && hasher=$*; }
works() { printf x | "$@" >/dev/null 2>&1 && hasher=$*; }
sum() { $hasher < "$1" | cut -c1-64; }
sums() { (cd "$d" && $hasher $NAMES 2>/dev/null) | while read -r one rest; do echo "$one"; done; }

has() { [ -f "$d/$1" ] && [ ! -h "$d/$1" ] && [ "$(sum "$d/$1")" = "$3" ]; }
all() { files has; }
mine() {
  if [ -h "$1" ] || [ ! -d "$1" ]; then why='is no directory'; return 1; fi
  owner=$(ls -ldn "$1" | { read -r mode links owner rest; echo "$owner"; })
  if [ "$owner" != "$uid" ]; then why="belongs to user number $owner"; return 1; fi
  why=$(LC_ALL=C chmod 700 "$1" 2>&1)
}
safe() { # nobody else can put another folder in the place of this one between our look and the start
  set -- /
  for way in "$d" "$(cd "$d" && pwd -P)"; do
    while way=${'$'}{way%/*}; [ -n "$way" ]; do set -- "$@" "$way"; done
  done
  why=$(LC_ALL=C ls -ldn "$@" 2>&1 | while read -r mode links owner group rest; do
    case $mode in [dl]?????????*) ;; *) continue ;; esac # the second line of a name
    case $owner in 0 | "$uid") ;; *) echo "lies below ${'$'}{rest##* }, which belongs to user number $owner"; continue ;; esac
    case $mode/$group in
      l* | ?????w*/0 | ?????w*/"$uid") ;;
      ?????w???[!tT]*) echo "lies below ${'$'}{rest##* }, which its group may write" ;;
    esac
    case $mode in l*) ;; ????????w[!tT]*) echo "lies below ${'$'}{rest##* }, which everybody may write" ;; esac
  done | head -n 1)
  [ -z "$why" ]
}
room() {
  free=$(df -Pk "$d" 2>/dev/null | sed -n '2s/^.* \([0-9][0-9]*\)  *[0-9]*%  *\/.*$/\1/p')
  [ -z "$free" ] || [ "$free" -ge "$NEED" ] || { why="No space left: $free KiB free, $NEED KiB needed"; return 1; }
}
runs() {
  probe=$d/.probe.$node.$$
  why=$( (LC_ALL=C; export LC_ALL; printf '#!/bin/sh\nexit 0\n' > "$probe" && chmod 700 "$probe") 2>&1) ||
    { rm -f "$probe"; why="cannot be written: $why"; return 1; }
  why=$(LC_ALL=C "$probe" 2>&1) || { rm -f "$probe"; why='programs cannot be started from it (mounted noexec)'; return 1; }
  rm -f "$probe"
}
settled() { # as an earlier start left it, which is most often so and takes few processes to see
  [ -d "$1" ] && [ -d "$d" ] && [ ! -h "$d" ] || return
  set -- "$1" "$ID"
  [ -n "$R" ] || { [ ! -h "$1" ] && set -- "$@" .; } || return
  (cd "$1" && shift && LC_ALL=C ls -ldn "$@" 2>/dev/null) | {
    ours=1
    while read -r mode links owner rest; do
      case $mode/$owner in drwx------/"$uid" | drwx------./"$uid") ours=$((ours + 1)) ;; esac
    done
    [ "$ours" = $# ]
  } || return
  for name in $NAMES; do [ -f "$d/$name" ] && [ ! -h "$d/$name" ] || return; done
  { [ -n "$loose" ] || safe; } && [ -x "$d/${agentName}" ] && hashers there && [ "$(sums)" = "$WHOLE" ]
}
try() {
  hashers works || { say nohash; exit 1; }
  why=$(LC_ALL=C mkdir -p "$1" 2>&1) || return 1
  [ -n "$R" ] || mine "$1" || return 1
  why=$(LC_ALL=C mkdir -p "$d" 2>&1) || return 1
  mine "$d" && { [ -n "$loose" ] || safe; } || return 1
  if all; then [ -x "$d/${agentName}" ] || { why='programs cannot be started from it (mounted noexec)'; return 1; }
  else room && runs; fi
}
volumes() { # places on mounted file systems from which programs may be started, such as volumes of a pod
  while read -r device point type options rest; do
    case ,$options, in *,ro,* | *,noexec,*) continue ;; esac
    case $point in / | /proc/* | /sys/* | /dev | /dev/* | *\\*) continue ;; esac
    [ ! -d "$point" ] || [ ! -w "$point" ] || echo "$point/collbench-$uid"
  done < /proc/mounts
} 2>/dev/null
contained() { [ -n "${'$'}{KUBERNETES_SERVICE_HOST:-}" ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ]; }
if [ -n "$R" ]; then
  case $R in /*) set -- "$R" ;; '~/'*) set -- "$HOME/${'$'}{R#??}" ;; *) set -- "$HOME/$R" ;; esac
elif [ -n "$T" ]; then
  case ${'$'}{TMPDIR:-} in /*) set -- "$TMPDIR/collbench-$uid" ;; *) set -- ;; esac
  set -- "$@" "/tmp/collbench-$uid" "/dev/shm/collbench-$uid" "/var/tmp/collbench-$uid"
  case ${'$'}{HOME:-} in /?*) set -- "$@" "$HOME/.collbench-$uid" ;; esac
  set -f; set -- "$@" $(volumes); set +f
else
  case ${'$'}{XDG_CACHE_HOME:-} in /*) cache=$XDG_CACHE_HOME ;; *) cache=${'$'}{HOME:-/nonexistent}/.cache ;; esac
  set -- "$cache/collbench" "/tmp/collbench-$uid" "/dev/shm/collbench-$uid"
fi
sweep() { # what killed commands left; agents that run keep their files
  running=$(ls -l /proc/[0-9]*/exe 2>/dev/null)
  find "$1" -mindepth 1 -maxdepth 1 -type d -mmin +10 2>/dev/null | while read -r old; do
    case $running in *" $old/"*) ;; *) rm -rf "$old" ;; esac
  done
}
search() {
  for root; do
    d=$root/$ID
    if settled "$root"; then found=whole; return; fi
    if try "$root"; then found=place; return; fi
    [ -z "$T" ] || rmdir "$d" "$root" 2>/dev/null
    [ -n "$loose" ] || say tried "$(line "$root: $why")"
  done
  return 1
}
found=
loose=
if [ -n "$A" ] && [ -f "$A" ] && [ -x "$A" ] && hashers there && [ "$(sum "$A")" = "${'$'}{WHOLE%%"$newline"*}" ]; then
  found=shared; d=
elif search "$@" || [ -z "$T" ]; then :
else
  # Volumes of a pod are often open to all users of the pod, who are all there for the same purpose.
  contained && loose=1 && search "$@"
fi
[ -z "$T" ] || [ -z "$d" ] || sweep "$root"
[ -n "$found" ] || { ! contained || say contained; say nowhere; exit 1; }
say dir "$(line "$d")"
# A temporary folder is of no use to anybody if the upload fails; exec below does not run this.
if [ -n "$T" ] && [ -n "$d" ]; then
  trap 'trap "" HUP INT TERM; rm -rf "$d"; rmdir "${'$'}{d%/*}" 2>/dev/null' EXIT
  trap 'exit 1' HUP INT TERM
fi

take() { # a part that a dead upload on this machine left
  for old in "$d/.$1.part.$node."*; do
    [ -f "$old" ] && [ ! -h "$old" ] || continue
    kill -0 "${'$'}{old##*.}" 2>/dev/null && continue
    if [ -f "$part" ]; then rm -f "$old"; else mv "$old" "$part" 2>/dev/null; fi
  done
}
get() {
  has "$@" && return
  base=${'$'}{1##*/}
  part=$d/.$base.part.$node.$$
  take "$base"
  have=0; sum=-
  [ -f "$part" ] && { have=$(size "$part"); sum=$(sum "$part"); }
  say file "$1" "$have" "$sum"
  read -r verb offset && [ "$verb" = put ] || exit 0
  [ "$offset" = "$have" ] || rm -f "$part"
  why=$( (LC_ALL=C; export LC_ALL; head -c $(($2 - offset)) >> "$part") 2>&1) ||
    { rm -f "$part"; say failed "$1: $(line "$why")"; exit 1; }
  [ "$(size "$part")" = "$2" ] || exit 1 # the way broke; what has come stays for the next attempt
  if [ "$(sum "$part")" != "$3" ]; then
    rm -f "$part"
    [ "$offset" != 0 ] || { say spoiled "$1"; exit 1; }
    get "$@"; return
  fi
  case $1 in */*) mkdir -p "$d/${'$'}{1%/*}" ;; esac
  why=$( { chmod 700 "$part" && LC_ALL=C mv -f "$part" "$d/$1"; } 2>&1) || { say failed "$1: $(line "$why")"; exit 1; }
}
gets() { files get; }
if [ "$found" = place ]; then
  room
  say free "$free"
  gets
fi
for old in "${'$'}{d:-/dev/null}"/.*.part.*; do
  [ ! -f "$old" ] || { find "$d" -name '.*' -type f -mtime +1 -exec rm -f {} + 2>/dev/null; break; }
done
say ready $$
read -r verb && [ "$verb" = run ] || exit 0
umask "$mask"
agent=${'$'}{d:+$d/${agentName}}; agent=${'$'}{agent:-$A}
settle
exec "$agent"
`;
