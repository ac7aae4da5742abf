// Details of hosts for a failed launch: traffic of their network interfaces, and NCCL's RAS report.
import { bytesText } from '../../results/units.ts';
import type { InterfaceTraffic } from '../protocol.ts';
import type { FailedMessage } from './blame.ts';

/** Maximum number of network interfaces listed per host. On machines with many interfaces most are idle. */
const maxInterfaces = 6;

/**
 * Returns lines about the hosts on which a launch failed, each beginning with the name of the host: the network interfaces with the
 * most traffic, after those that went down in use; how many more there are; which are down and unused; and NCCL's RAS report. RAS
 * reports on all ranks, so the report of the first host that has one is enough. Empty if the agents reported neither interfaces nor
 * RAS.
 */
export function hostFailureLines(hosts: readonly { host: string; message: FailedMessage }[]): string[] {
  const traffic = hosts.flatMap(({ host, message: { traffic: all = [] } }) => {
    const unused = all.filter((one) => isDown(one) && bytesOf(one) === 0).map(({ name }) => name);
    const used = all.filter(({ name }) => !unused.includes(name));
    const most = used.sort((a, b) => weight(b) - weight(a)).slice(0, maxInterfaces);
    const more = used.length - most.length;
    return [
      ...most.map((one) => `${host}: ${interfaceText(one)}`),
      ...(more > 0 ? [`${host}: ${more} more interfaces moved less`] : []),
      ...(unused.length > 0 ? [`${host}: down, and moved nothing: ${unused.join(', ')}`] : []),
    ];
  });
  const asked = hosts.find(({ message: { ras = [] } }) => ras.length > 0);
  const ras = asked?.message.ras?.map((line) => `NCCL RAS on ${asked.host}: ${line}`) ?? [];
  return [...traffic, ...ras];
}

/** True for states of the kernel in which an interface carries nothing (include/uapi/linux/if.h, IF_OPER_...). */
const isDown = ({ state }: InterfaceTraffic): boolean => state === 'down' || state === 'lowerlayerdown';
const bytesOf = ({ receivedBytes, sentBytes }: InterfaceTraffic): number => receivedBytes + sentBytes;

/**
 * Sort key of network interfaces, highest first: interfaces that are down, then the others by the number of bytes
 * moved since the block began.
 */
const weight = (one: InterfaceTraffic): number => (isDown(one) ? Number.POSITIVE_INFINITY : bytesOf(one));

function interfaceText(one: InterfaceTraffic): string {
  const { name, state, receivedBytes, sentBytes, troubledPackets, lastReceivedBytes, lastSentBytes } = one;
  const moved = `received ${bytesText(receivedBytes)} and sent ${bytesText(sentBytes)} since the block began`;
  const last =
    lastReceivedBytes === undefined || lastSentBytes === undefined
      ? ''
      : lastReceivedBytes + lastSentBytes === 0
        ? ', nothing in the second after the deadline'
        : `, ${bytesText(lastReceivedBytes)} and ${bytesText(lastSentBytes)} in the second after the deadline`;
  const trouble = troubledPackets === 0 ? '' : `, ${troubledPackets} packets lost or damaged`;
  return `${name} ${moved}${last}${trouble}${isDown(one) ? `; it is ${state}` : ''}`;
}
