import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, skipUnless } from '../harness.ts';

/** Fakes of libcuda, libnvrtc and libnccl on host memory: all host code of the NCCL engine, no GPU. */
export const fake = (name: 'cuda' | 'nvrtc' | 'nccl') =>
  path.join(root, 'build', 'native', 'fake', `lib${name}-fake.so`);

/** Skips where they are not built. */
export const withoutFakes = skipUnless(
  existsSync(fake('nccl')),
  'no fake NCCL: node tests/all.mjs native builds it',
);

/** Environment of a machine with so many fake GPUs. */
export const fakeGpus = (gpus: number): Record<string, string> => ({
  COLLBENCH_CUDA_LIBRARY: fake('cuda'),
  COLLBENCH_NVRTC_LIBRARY: fake('nvrtc'),
  CUDA_FAKE_DEVICES: String(gpus),
});
