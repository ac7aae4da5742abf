import { foldNames } from '../../results/fold.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { shellWord } from '../../results/text.ts';

/**
 * Returns the command-line options with which a new run places its ranks on the same hosts as a plan: "--hosts
 * a:slots=2,b:slots=2". Each option is one text together with its value, for printing, not for argv. Empty for a run on this
 * machine alone. If a host's ranks are not consecutive, `--map node` is added. A plan does not store private keys, ssh
 * configurations and rank map files, so the user must add these options.
 */
export function hostWords({ hosts, launcher }: Pick<RunPlan, 'hosts' | 'launcher'>): string[] {
  if (launcher === undefined) return [];
  const words = [`--hosts ${hosts.some(({ iface, at }) => iface ?? at) ? each(hosts) : folded(hosts)}`];
  if (hosts.some(({ ranks }) => ranks.some((rank, index) => rank !== (ranks[0] ?? 0) + index)))
    words.push('--map node');
  if (launcher === 'openssh') words.push('--rsh openssh');
  else if (launcher === 'slurm') words.push('--launcher slurm');
  else if (launcher.startsWith('command:')) words.push(`--launcher ${shellWord(launcher)}`);
  return words;
}

/**
 * Returns a host list in which neighbouring hosts with equal numbers of ranks are joined as ranges:
 * gpu[01-02]:slots=8,gpu03:slots=4.
 */
function folded(hosts: RunPlan['hosts']): string {
  const alike: { names: string[]; slots: number }[] = [];
  for (const { name, ranks } of hosts) {
    const last = alike.at(-1);
    if (last?.slots === ranks.length) last.names.push(name);
    else alike.push({ names: [name], slots: ranks.length });
  }
  // Each folded name gets its number of slots.
  return alike
    .flatMap(({ names, slots }) =>
      foldNames(names)
        .split(/,(?![^[]*\])/)
        .map((text) => `${text}:slots=${slots}`),
    )
    .join(',');
}

/**
 * Returns the text of a host for `--hosts`, without its number of slots: "me@a:port=2222:iface=eth1". Without a stored address the
 * name of the host stands for it.
 */
export const hostPlaceText = ({ name, at, iface }: RunPlan['hosts'][number]): string =>
  [at ?? name, ...(iface === undefined ? [] : [`iface=${iface}`])].join(':');

const each = (hosts: RunPlan['hosts']): string =>
  hosts.map((host) => `${hostPlaceText(host)}:slots=${host.ranks.length}`).join(',');
