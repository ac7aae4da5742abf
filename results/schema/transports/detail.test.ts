import assert from 'node:assert/strict';
import test from 'node:test';
import { detailParts, detailText, pcieLinkOf, shortDetail, type TransportDetail } from '../index.ts';

const card: TransportDetail = { softwareCard: 'softntb', link: 'none', dma: 'registered' };

test('the words of a description have one order, whatever reported it', () => {
  const texts: [TransportDetail, string][] = [
    [{}, ''],
    [{ networkInterface: 'lo' }, 'TCP over lo'],
    [
      { networkInterface: 'lo', backend: 'gloo', framework: 'PyTorch 2.11.0' },
      'PyTorch 2.11.0, gloo over lo',
    ],
    [
      { networkInterface: 'eth0', streams: 4, bufferBytes: 8192 },
      'TCP over eth0, 4 streams, buffers of 8192 B',
    ],
    [{ hosts: 2 }, 'TCP between 2 hosts'],
    [card, 'softntb, link none, registered-memory DMA'],
    [
      { ...card, library: 'NCCL 2.28.9', libraryTransport: 'sisci' },
      `NCCL 2.28.9 sisci, ${detailText(card)}`,
    ],
    [
      { adapter: 'SISCI 2.5', adapterLibrary: '/lib/libsisci.so', node: 4 },
      'SISCI 2.5 (/lib/libsisci.so), node 4',
    ],
    [
      { softwareCard: 'softmlx5', link: 'none', queue: 'rc', doorbells: 'gpu-kernels', isFake: true },
      'softmlx5, link none, rc queues, doorbells rung by GPU kernels, GPUs faked on host memory',
    ],
    [
      { localPath: 'process-memory', copies: 2 },
      "memory shared by processes, two copies: ranks may not read each other's memory",
    ],
    [
      { localPath: 'process-memory', copies: 1, singleCopyBytes: 65536 },
      'memory shared by processes, one copy by process_vm_readv from 64 KiB on',
    ],
    [
      {
        netPlugin: 'X',
        netPluginVersion: 9,
        netPluginPath: '/x.so',
        netPluginDevice: 'mlx5_0',
        softwareCard: 'softmlx5',
        link: 'none',
      },
      'ncclNet X v9 from /x.so, device mlx5_0 over softmlx5, link none',
    ],
    [{ library: 'perftest 6.1', origin: 'imported' }, 'perftest 6.1, imported'],
  ];
  for (const [detail, text] of texts) assert.equal(detailText(detail), text);
});

test('a label begins with device and link, and does not repeat the transport that a library was told to use', () => {
  const nccl = { library: 'NCCL 2.28.9', libraryTransport: 'p2p' };
  assert.deepEqual(detailParts(nccl, 'p2p'), ['NCCL 2.28.9']);
  assert.deepEqual(detailParts(nccl, 'socket'), ['NCCL 2.28.9 p2p']);
  assert.deepEqual(detailParts(card, 'sisci'), ['softntb link none', 'registered-memory DMA']);
  assert.equal(shortDetail(card, 'sisci'), 'softntb');
  assert.equal(shortDetail({ ...card, link: 'pcie-gen3-x8' }, 'sisci'), 'softntb link pcie-gen3-x8');
  const imported = { library: 'nccl-tests 2.19.6, NCCL 2.28.9', origin: 'imported' } as const;
  assert.deepEqual(detailParts(imported, 'foreign'), ['nccl-tests 2.19.6 NCCL 2.28.9 imported']);
  assert.deepEqual(detailParts({}, 'sisci'), []);
  assert.equal(shortDetail({}, 'sisci'), '');
});

test('only a link model of PCIe has generation and lanes', () => {
  assert.deepEqual(pcieLinkOf({ ...card, link: 'pcie-gen3-x8' }), { generation: 3, lanes: 8 });
  for (const link of ['none', 'custom:gbps=0.02']) assert.equal(pcieLinkOf({ ...card, link }), null);
});
