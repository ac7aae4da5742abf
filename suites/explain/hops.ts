// One slow hop (path between two hosts) among several: what measuring each pair of hosts alone shows, and which changes avoid it.
import { joinWords } from '../../results/units.ts';
import type { CauseRow, ExplainedMachine, Interventions } from './causes.ts';
import type { SlowHop } from './hop-facts.ts';
import { type ExplainedHost, type ExplainedOperation, type Intervention, placeOn } from './variants.ts';

/** Text for how slow a host or hop is: "its hops take 3.1 times the typical time"; of a hop, "their hop takes ...". */
const slowHopText = ({ names, ratio }: SlowHop): string =>
  `${names.length === 1 ? 'its hops take' : 'their hop takes'} ${ratio.toFixed(1)} times the typical time`;

/** The cause that one host, or the hop between two hosts, is slower than the others. */
export const hopCause: CauseRow = {
  id: 'hop',
  title: 'a slow host or hop',
  suspicion({ hops }) {
    const [worst] = hops !== undefined && 'slow' in hops ? hops.slow : [];
    if (worst === undefined) return null;
    return { share: 1 - 1 / worst.ratio, text: `${worst.names.join(' - ')}: ${slowHopText(worst)}` };
  },
  interventions: withoutSlowHop,
};

/**
 * Changes of the command that keep the number of ranks: all slow hosts are left out, or the slowest alone if too few would remain.
 * If only hops are slow, one change reorders the
 * hosts so that no slow pair is adjacent, and one per host of the slowest hop leaves this host out. `absent` = one machine, or no
 * host or hop is slow; `reason` = the hops were not measured, or no such change is possible.
 */
function withoutSlowHop(
  { hosts = [], hops, ranks, options }: ExplainedOperation,
  { cpus }: Pick<ExplainedMachine, 'cpus'>,
): Interventions {
  if (hosts.length < 2) return { absent: 'all ranks are on one machine' };
  if (hosts.length < 3) return { reason: 'two hosts have one hop; needs a third host' };
  if (hops === undefined || 'reason' in hops) return { reason: hops?.reason ?? 'the hops were not measured' };
  const [worst] = hops.slow;
  if (worst === undefined)
    return { absent: `of ${hops.hops} hops measured alone none is slower than the others` };
  const figures = `${worst.names.join(' - ')}: ${slowHopText(worst)}`;
  if (!['block', 'node'].includes(options.map ?? 'block'))
    return { reason: `${figures}; needs a rank map without it` };
  const slowHosts = hops.slow.flatMap(({ names: [name = '', other] }) => (other === undefined ? [name] : []));
  const leaveOut = (names: readonly string[]): Intervention[] => {
    const kept = spread(
      hosts.filter(({ name }) => !names.includes(name)),
      ranks,
    );
    if (kept.length < 2 || kept.some((host) => host.ranks > cpus)) return [];
    return [{ title: `${joinWords(names)} left out (${slowHopText(worst)})`, change: placeOn(kept) }];
  };
  // Where too few hosts would remain, the slowest alone shows what can be recovered.
  const withoutSlow = [...leaveOut(slowHosts), ...leaveOut(slowHosts.slice(0, 1))].slice(0, 1);
  const apart = slowHosts.length === 0 ? withPairsApart(hosts, hops.slow) : null;
  const changes = [
    ...(apart === null
      ? []
      : [{ title: `${worst.names.join(' and ')} apart (${slowHopText(worst)})`, change: placeOn(apart) }]),
    ...(slowHosts.length > 0 ? withoutSlow : worst.names.flatMap((name) => leaveOut([name]))),
  ];
  return changes.length > 0
    ? { changes }
    : { reason: `${figures}; needs more hosts or CPUs, to place ${ranks} ranks without it` };
}

/**
 * The hosts, with `ranks` ranks divided among them as evenly as possible: the first hosts have at most 1 rank more than the others.
 */
const spread = (hosts: readonly ExplainedHost[], ranks: number): ExplainedHost[] =>
  hosts.map((host, at) => ({
    ...host,
    ranks: Math.floor(ranks / hosts.length) + (at < ranks % hosts.length ? 1 : 0),
  }));

/**
 * Moves one host in the list so that no slow pair of hosts is adjacent; the last host is adjacent to the first. Null if no such
 * move exists.
 */
function withPairsApart(
  hosts: readonly ExplainedHost[],
  slow: readonly SlowHop[],
): readonly ExplainedHost[] | null {
  const isApart = (order: readonly ExplainedHost[]) =>
    order.every(({ name }, at) => {
      const next = order[(at + 1) % order.length]?.name ?? name;
      return !slow.some(({ names }) => names.includes(name) && names.includes(next));
    });
  for (const [from, moved] of hosts.entries())
    for (let to = 0; to < hosts.length; to += 1) {
      const order = hosts.toSpliced(from, 1).toSpliced(to, 0, moved);
      if (isApart(order)) return order;
    }
  return null;
}
