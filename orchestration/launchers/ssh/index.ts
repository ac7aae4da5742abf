import { randomBytes } from 'node:crypto';
import type { HostSpec } from '../../hosts/host.ts';
import { type Launcher, StartError } from '../launcher.ts';
import { OutputTail } from '../tail.ts';
import { type Bundle, bundleOf } from '../upload/bundle.ts';
import { remoteProcess } from '../upload/remote-process.ts';
import { remoteScript } from '../upload/remote-script.ts';
import { SshConfig } from './config.ts';
import { type SshOptions, withDefaults } from './options.ts';
import type { SshPool } from './pool.ts';

export type { SshOptions } from './options.ts';

/**
 * Returns a launcher that starts agents on other machines with the built-in SSH client. Agent files that a host already has are
 * not sent. A host that is not in `hosts`, or cannot be reached, gives an agent process whose `exit` has a StartError.
 * @param given options; those that are absent get their defaults
 */
export function sshLauncher(hosts: readonly HostSpec[], given: SshOptions = {}): Launcher {
  const options = withDefaults(given);
  const config = new SshConfig(options.configFile);
  // Reading the configuration starts here, while the other modules are still being loaded.
  config.prefetch(hosts);
  const bundles = new Map<string, Promise<Bundle>>();
  let pool: Promise<SshPool> | null = null;
  return {
    name: 'ssh',
    remote: true,
    start: (name, agentPath) => {
      const tail = new OutputTail();
      return remoteProcess(name, tail, async (signal) => {
        const host = hostNamed(hosts, name);
        // Loading ssh2 takes 60 ms, which a run on this machine alone need not pay.
        pool ??= import('./pool.ts').then((module) => new module.SshPool(config, options));
        const { runAgent } = await import('./run-agent.ts');
        const bundle = await bundleOf(bundles, agentPath);
        const marker = randomBytes(12).toString('hex');
        const script = remoteScript(marker, bundle, options);
        const client = await (await pool).connect(host, signal);
        return runAgent(client, name, marker, script, bundle, tail, signal);
      });
    },
    close: async () => {
      await (await pool)?.close();
    },
  };
}

/** Returns the host with this name. @throws StartError if the run has no such host */
export function hostNamed(hosts: readonly HostSpec[], name: string): HostSpec {
  const host = hosts.find((one) => one.name === name);
  if (host === undefined) throw new StartError(`${JSON.stringify(name)} is not a host of this run`);
  return host;
}
