import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, skipUnless } from '../harness.ts';

/** Path of a fake of a GPU library. Fakes work in host memory, so that engines run all their host code without a GPU. */
export const fake = (name: 'cuda' | 'nvrtc' | 'nccl' | 'nvshmem') =>
  path.join(root, 'build', 'native', 'fake', `lib${name}-fake.so`);

/** Value for a test's `skip`: false, or the reason if the fakes are not built. */
export const withoutFakes = skipUnless(
  existsSync(fake('nccl')) && existsSync(fake('nvshmem')),
  'no fakes: node tests/all.mjs native builds it',
);

/** Environment variables that give a command `gpus` fake GPUs. */
export const fakeGpus = (gpus: number): Record<string, string> => ({
  COLLBENCH_CUDA_LIBRARY: fake('cuda'),
  COLLBENCH_NVRTC_LIBRARY: fake('nvrtc'),
  CUDA_FAKE_DEVICES: String(gpus),
});

/** Environment variables for fake GPUs with NVSHMEM. The fake nvcc puts its "compiled" kernels into a cache below `folder`. */
export function fakeNvshmem(folder: string, gpus: number): Record<string, string> {
  const prefix = path.join(root, 'build', 'native', 'fake', 'nvshmem');
  return { ...fakeGpus(gpus), NVSHMEM_HOME: prefix, CUDA_HOME: prefix, XDG_CACHE_HOME: folder };
}
