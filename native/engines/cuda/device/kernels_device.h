// Kernels of stores_device.h and packets_device.h. NVRTC compiles one of each kind, for the element type and
// reduction defined before this text; the host has one twin for all.
#ifndef COLLBENCH_ENGINES_CUDA_DEVICE_KERNELS_DEVICE_H
#define COLLBENCH_ENGINES_CUDA_DEVICE_KERNELS_DEVICE_H

#include "engines/cuda/device/packets_device.h"

namespace collbench {
namespace gpu {

#ifdef __CUDACC__
/// Allows the next kernel of the stream to start early, then waits until the previous kernel is complete
/// (programmatic dependent launch).
__device__ inline void begin_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#define COLLBENCH_STORE_KERNEL(name, call)                       \
  extern "C" __global__ void __launch_bounds__(kMaxStoreThreads) \
      collbench_##name(const __grid_constant__ StoreArgs a) {    \
    begin_kernel();                                              \
    call;                                                        \
  }
#define COLLBENCH_HERE a, blockIdx.x, threadIdx.x
using KernelElement = TypeOf<COLLBENCH_TYPE>::Element;
using KernelWord = WordOf<sizeof(KernelElement)>::Word;
COLLBENCH_STORE_KERNEL(one_shot_packets, one_shot_packets<KernelElement>(COLLBENCH_HERE, COLLBENCH_OP))
COLLBENCH_STORE_KERNEL(two_shot_packets, two_shot_packets<KernelElement>(COLLBENCH_HERE, COLLBENCH_OP))
COLLBENCH_STORE_KERNEL(two_shot_words, (two_shot_loads<KernelElement, Wide>(COLLBENCH_HERE, COLLBENCH_OP)))
COLLBENCH_STORE_KERNEL(two_shot_elements,
                       (two_shot_loads<KernelElement, KernelWord>(COLLBENCH_HERE, COLLBENCH_OP)))
COLLBENCH_STORE_KERNEL(two_shot_slots, two_shot_slots<KernelElement>(COLLBENCH_HERE, COLLBENCH_OP))
COLLBENCH_STORE_KERNEL(scatter_packets, scatter_packets<KernelElement>(COLLBENCH_HERE, COLLBENCH_OP))
COLLBENCH_STORE_KERNEL(scatter_words, (scatter_loads<KernelElement, Wide>(COLLBENCH_HERE, COLLBENCH_OP)))
COLLBENCH_STORE_KERNEL(scatter_elements,
                       (scatter_loads<KernelElement, KernelWord>(COLLBENCH_HERE, COLLBENCH_OP)))
COLLBENCH_STORE_KERNEL(move_packets, move_packets(COLLBENCH_HERE))
COLLBENCH_STORE_KERNEL(move_words, move_stores<Wide>(COLLBENCH_HERE))
COLLBENCH_STORE_KERNEL(move_quads, move_stores<u32>(COLLBENCH_HERE))
COLLBENCH_STORE_KERNEL(move_elements, move_stores<unsigned char>(COLLBENCH_HERE))
#else
template <class T>
void run_store_block(const StoreArgs& a, u32 block) {
  using One = typename WordOf<sizeof(T)>::Word;
  switch (a.shape) {
    case kOneShot:
      return one_shot_packets<T>(a, block, 0, a.op);
    case kTwoShot:
      if (a.way == kByPackets) return two_shot_packets<T>(a, block, 0, a.op);
      if (a.way == kBySlots) return two_shot_slots<T>(a, block, 0, a.op);
      return a.way == kByWords ? two_shot_loads<T, Wide>(a, block, 0, a.op)
                               : two_shot_loads<T, One>(a, block, 0, a.op);
    case kReduceScatter:
      if (a.way == kByPackets) return scatter_packets<T>(a, block, 0, a.op);
      return a.way == kByWords ? scatter_loads<T, Wide>(a, block, 0, a.op)
                               : scatter_loads<T, One>(a, block, 0, a.op);
    default:
      if (a.way == kByPackets) return move_packets(a, block, 0);
      if (a.way == kByQuads) return move_stores<u32>(a, block, 0);
      return a.way == kByWords ? move_stores<Wide>(a, block, 0) : move_stores<unsigned char>(a, block, 0);
  }
}
#endif

}  // namespace gpu
}  // namespace collbench
#endif
