// Disturbances of known size during a run.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Disturbance {
  what: string;
  /** Flag whose limit the disturbance determines. */
  flag: string;
  /** Command that starts the run; absent = the run is started directly. */
  prefix?: readonly string[];
  /**
   * Starts the disturbance.
   * @param pid process id of the run
   * @returns function that ends the disturbance
   */
  begin(pid: number): () => void;
}

export const noDisturbance: Disturbance = { what: 'nothing', flag: 'cpu-busy', begin: () => () => undefined };

/** Program that is busy for this share of every 10 ms. */
const spinning = (share: number): string =>
  `const spin = () => { const end = performance.now() + ${10 * share}; while (performance.now() < end); setTimeout(spin, ${10 * (1 - share)}); }; spin();`;

/** Keeps a number of cores busy; a fractional part keeps one core partly busy. */
export const busyCores = (cores: number): Disturbance => ({
  what: `${cores} ${cores === 1 ? 'core' : 'cores'} busy`,
  flag: 'cpu-busy',
  begin() {
    const shares = Array.from({ length: Math.ceil(cores) }, (_, i) => Math.min(1, cores - i));
    const loops = shares.map((share) =>
      spawn(process.execPath, ['-e', share < 1 ? spinning(share) : 'for (;;);'], { stdio: 'ignore' }),
    );
    return () => {
      for (const loop of loops) loop.kill('SIGKILL');
    };
  },
});

const pauseMs = 2;

/** Stops one rank for 2 ms, `perSecond` times a second. */
export const pausedRanks = (perSecond: number): Disturbance => ({
  what: `a rank paused ${perSecond} times a second`,
  flag: 'late',
  begin(pid) {
    let paused: number | null = null;
    const signal = (name: 'SIGSTOP' | 'SIGCONT', rank: number): void => {
      try {
        process.kill(rank, name);
      } catch {
        // The rank has ended.
      }
    };
    const timer = setInterval(() => {
      const rank = leafOf(pid);
      if (rank === null || paused !== null) return;
      paused = rank;
      signal('SIGSTOP', rank);
      setTimeout(() => {
        signal('SIGCONT', rank);
        paused = null;
      }, pauseMs);
    }, 1000 / perSecond);
    return () => clearInterval(timer);
  },
});

/** Process id of a rank: a child of the agent, which is a child of the run. Null before the rank exists. */
function leafOf(pid: number): number | null {
  const [agent] = childrenOf(pid);
  return agent === undefined ? null : (childrenOf(agent)[0] ?? null);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Shell command for a network namespace with its own counters in /sys. It drops this share of arriving TCP segments, at random.
 */
const losing = (share: number): string => {
  const rule = `meta l4proto tcp numgen random mod 1000000 < ${Math.round(share * 1e6)} drop`;
  return `mount -t sysfs sysfs /sys && ip link set lo up && nft 'table inet lossy { chain in { type filter hook input priority 0; ${rule}; }; }' && exec "$@"`;
};

/** Drops this percentage of TCP segments between the ranks. Needs root, unshare and nft. */
export const lostSegments = (percent: number): Disturbance => ({
  what: `${percent} % of TCP segments lost`,
  flag: 'retransmits',
  prefix: ['unshare', '--net', '--mount', 'sh', '-c', losing(percent / 100), 'sh'],
  begin: () => () => undefined,
});
