import { choiceOption, inGroup, type OptionValues, switchOption } from '../options/option.ts';
import { size, text, ValueError, wholeNumber } from '../options/values.ts';
import { customLinks, faultNames, linkModels } from './emulators.ts';

export const transportOptionRows = inGroup('Where it runs', {
  medium: {
    value: 'KIND',
    default: 'auto',
    ...choiceOption(['auto', 'hardware', 'emulated']),
    describe:
      'auto: emulated only if there is no device; an unusable device is an error. hardware: never emulated. emulated: always.',
    example: '--transport sisci --medium hardware',
  },
  interface: {
    synonyms: ['iface', 'nic', 'netdev'],
    value: 'NAME',
    default: null,
    defaultDescription: 'lo; between hosts the interface of the default route',
    allowed:
      'a network interface of this machine; with --hosts of every node, unless host:iface=NAME overrides it',
    describe:
      'socket, ucx: interface of the data connections (engine nccl: NCCL_SOCKET_IFNAME); ib: interface of its device; plugins read it from NCCL_SOCKET_IFNAME.',
    example: '--interface eth1',
    coerce: text,
  },
  streams: {
    synonyms: ['connections', 'sockets'],
    value: 'N',
    default: 0,
    defaultDescription: 'chosen',
    allowed: 'a whole number from 0 (chosen) to 16',
    describe: 'socket: TCP connections between two ranks (engine nccl: NCCL_SOCKET_NTHREADS).',
    example: '--streams 2',
    coerce: wholeNumber(0, 16),
  },
  socketBuffer: {
    synonyms: ['sndbuf', 'rcvbuf', 'socket-buffer-size', 'tcp-window', 'window-size'],
    value: 'SIZE',
    default: 0,
    defaultDescription: 'the kernel grows them as it needs (tcp_wmem, tcp_rmem)',
    allowed: 'a size from 4K to 1G, such as 256K; above net.core.wmem_max and rmem_max only as root',
    describe: 'socket with --engine cpu: send and receive buffers of each TCP connection.',
    example: '--socket-buffer 4M',
    coerce: (value) => {
      const bytes = size(value);
      if (bytes < 4096 || bytes > 2 ** 30) throw new ValueError('out of range');
      return bytes;
    },
  },
  sisciLibrary: {
    value: 'PATH',
    default: null,
    defaultDescription: 'libsisci.so if found, else softntb',
    allowed: 'path of a libsisci.so, or softntb',
    describe: 'sisci: library to open. Without a Dolphin card: softntb, and every row is marked EMULATED.',
    example: '--sisci-library /opt/DIS/lib64/libsisci.so',
    coerce: text,
    choices: ['softntb'],
  },
  ibgdaQueue: {
    value: 'KIND',
    default: 'rc',
    ...choiceOption(['rc', 'dc']),
    describe:
      'ibgda: queue type. rc: one reliable connection per peer. dc: dynamically connected, each work request names its target.',
    example: '--transport ibgda --ibgda-queue dc',
  },
  link: {
    synonyms: ['link-model'],
    value: 'MODEL',
    default: 'none',
    defaultDescription: 'none (memory speed)',
    allowed: `${linkModels.join(', ')}, ${customLinks[0]} (sisci), or ${customLinks[1]} (ibgda)`,
    describe:
      'Link model of the emulated adapter (sisci: softntb, ibgda: softmlx5). collbench link fit RUN derives one from a measured run.',
    example: '--transport sisci --link pcie-gen3-x8',
    coerce: text,
    choices: linkModels,
  },
  fault: {
    value: 'LIST',
    default: null,
    allowed: `a comma list of ${faultNames.join(', ')} (README.md of native/emulated/softntb and native/emulated/softmlx5/nic)`,
    describe:
      'Faults to inject into the emulated adapter (sisci: softntb, ibgda: softmlx5), to test that they are detected.',
    example: '--transport sisci --fault no-iommu',
    coerce: text,
    choices: faultNames,
  },
  pathProof: {
    ...switchOption,
    default: true,
    defaultDescription: 'on',
    allowed: 'true or false; --no-path-proof switches it off',
    describe:
      'sisci: prove the DMA path with a pattern on connect. Off only to test that verification catches what it misses.',
    example: '--no-path-proof',
  },
});

/** Values of the options about transports, such as --interface or --link. Each transport uses those that apply to it. */
export type TransportOptions = OptionValues<typeof transportOptionRows>;
