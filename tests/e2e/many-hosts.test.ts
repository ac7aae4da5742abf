// test: up to 60 s
import { test } from 'node:test';
import { cluster } from '../cluster/bed.ts';
import { checkRunOnHosts, withCluster } from './support/hosts.ts';

for (const count of [8, 32])
  test(
    `${count} hosts: every rank on its host, verified, proven by the interfaces of all; nothing stays`,
    {
      skip: cluster(),
    },
    () => withCluster(count, checkRunOnHosts),
  );
