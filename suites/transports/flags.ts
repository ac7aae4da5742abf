import { type OptionRowsFor, ValueError } from '../options/flag.ts';
import { switchValue, text, wholeNumber } from '../options/values.ts';
import { customLinks, faultNames, linkModels } from './emulators.ts';
import { mediumOptions, queueKinds, type TransportOptions } from './options.ts';

export const transportFlags: OptionRowsFor<TransportOptions> = {
  medium: {
    name: 'medium',
    group: 'Where it runs',
    value: 'KIND',
    fallback: 'auto',
    shown: 'auto',
    allowed: mediumOptions.join(', '),
    help: 'auto: emulated only if there is no device; an unusable device is an error. hardware: never emulated. emulated: always.',
    example: '--transport sisci --medium hardware',
    parse: (value) => {
      const medium = mediumOptions.find((word) => word === value.trim().toLowerCase());
      if (medium === undefined) throw new ValueError('no such medium');
      return medium;
    },
    words: mediumOptions,
  },
  interface: {
    name: 'interface',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'lo',
    allowed:
      'a network interface of this machine; with --hosts of every node, unless host:iface=NAME overrides it',
    help: 'socket: interface of the data connections (engine nccl: NCCL_SOCKET_IFNAME); ib: interface of its device; plugins read it from NCCL_SOCKET_IFNAME.',
    example: '--interface eth1',
    parse: text,
  },
  streams: {
    name: 'streams',
    group: 'Where it runs',
    value: 'N',
    fallback: 0,
    shown: 'chosen',
    allowed: 'a whole number from 0 (chosen) to 16',
    help: 'socket: TCP connections between two ranks (engine nccl: NCCL_SOCKET_NTHREADS).',
    example: '--streams 2',
    parse: wholeNumber(0, 16),
  },
  sisciLibrary: {
    name: 'sisci-library',
    group: 'Where it runs',
    value: 'PATH',
    fallback: null,
    shown: 'libsisci.so if found, else softntb',
    allowed: 'path of a libsisci.so, or softntb',
    help: 'sisci: library to open. Without a Dolphin card: softntb, and every row is marked EMULATED.',
    example: '--sisci-library /opt/DIS/lib64/libsisci.so',
    parse: text,
    words: ['softntb'],
  },
  ibgdaQueue: {
    name: 'ibgda-queue',
    group: 'Where it runs',
    value: 'KIND',
    fallback: 'rc',
    shown: 'rc',
    allowed: queueKinds.join(', '),
    help: 'ibgda: queue type. rc: one reliable connection per peer. dc: dynamically connected, each work request names its target.',
    example: '--transport ibgda --ibgda-queue dc',
    parse: (value) => {
      const kind = queueKinds.find((word) => word === value.trim().toLowerCase());
      if (kind === undefined) throw new ValueError('no such kind of queue');
      return kind;
    },
    words: queueKinds,
  },
  link: {
    name: 'link',
    group: 'Where it runs',
    value: 'MODEL',
    fallback: 'none',
    shown: 'none (memory speed)',
    allowed: `${linkModels.join(', ')}, ${customLinks[0]} (sisci), or ${customLinks[1]} (ibgda)`,
    help: 'Link model of the emulated adapter (sisci: softntb, ibgda: softmlx5). collbench link fit RUN derives one from a measured run.',
    example: '--transport sisci --link pcie-gen3-x8',
    parse: text,
    words: linkModels,
  },
  fault: {
    name: 'fault',
    group: 'Where it runs',
    value: 'LIST',
    fallback: null,
    shown: 'none',
    allowed: `a comma list of ${faultNames.join(', ')} (README.md of native/softntb and native/softmlx5/nic)`,
    help: 'Faults to inject into the emulated adapter (sisci: softntb, ibgda: softmlx5), to test that they are detected.',
    example: '--transport sisci --fault no-iommu',
    parse: text,
    words: faultNames,
  },
  pathProof: {
    name: 'path-proof',
    group: 'Where it runs',
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-path-proof switches it off',
    help: 'sisci: prove the DMA path with a pattern on connect. Off only to test that verification catches what it misses.',
    example: '--no-path-proof',
    parse: switchValue,
  },
};
