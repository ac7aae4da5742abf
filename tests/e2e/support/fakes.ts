import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, skipUnless } from '../harness.ts';

/** Fakes of libcuda, libnvrtc, libnccl and kernels on NVSHMEM, on host memory: all host code of their engines, no GPU. */
export const fake = (name: 'cuda' | 'nvrtc' | 'nccl' | 'nvshmem') =>
  path.join(root, 'build', 'native', 'fake', `lib${name}-fake.so`);

/** Skips where they are not built. */
export const withoutFakes = skipUnless(
  existsSync(fake('nccl')) && existsSync(fake('nvshmem')),
  'no fakes: node tests/all.mjs native builds it',
);

/** Environment of a machine with so many fake GPUs. */
export const fakeGpus = (gpus: number): Record<string, string> => ({
  COLLBENCH_CUDA_LIBRARY: fake('cuda'),
  COLLBENCH_NVRTC_LIBRARY: fake('nvrtc'),
  CUDA_FAKE_DEVICES: String(gpus),
});

/** And with NVSHMEM, whose kernels its nvcc "compiles" into a cache below this folder. */
export function fakeNvshmem(folder: string, gpus: number): Record<string, string> {
  const prefix = path.join(root, 'build', 'native', 'fake', 'nvshmem');
  return { ...fakeGpus(gpus), NVSHMEM_HOME: prefix, CUDA_HOME: prefix, XDG_CACHE_HOME: folder };
}
