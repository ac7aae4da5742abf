// Units of data: words of 16 bytes, and packets of 8 bytes with flags.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace {

template <class T>
__device__ __forceinline__ T combined(T a, T b, int op) {
  switch (op) {
    case kCollbenchNvshmemProd:
      return a * b;
    case kCollbenchNvshmemMin:
      return b < a ? b : a;
    case kCollbenchNvshmemMax:
      return a < b ? b : a;
    default:
      return a + b;
  }
}

template <class T, class Word>
__device__ __forceinline__ Word combined_words(Word a, Word b, int op) {
  constexpr int kElements = sizeof(Word) / sizeof(T);
  union Parts {
    Word word;
    T parts[kElements];
    __device__ Parts() {}
  } left, right;
  left.word = a;
  right.word = b;
#pragma unroll
  for (int i = 0; i < kElements; ++i) left.parts[i] = combined<T>(left.parts[i], right.parts[i], op);
  return left.word;
}

// Loads memory that a peer may write while the kernel runs, bypassing the L1 cache.
__device__ __forceinline__ uint4 load_fresh(const uint4* from) {
  uint4 word;
  asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from)
               : "memory");
  return word;
}
__device__ __forceinline__ void store_packet(uint4* to, uint2 data, uint32_t flag) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(data.x), "r"(flag),
               "r"(data.y), "r"(flag)
               : "memory");
}

__device__ __forceinline__ uint64_t load_acquire(const uint64_t* from) {
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void store_relaxed(uint64_t* to, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ __forceinline__ void store_release(uint64_t* to, uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/// Allows the next kernel of the stream to start early, then waits until the previous kernel is complete
/// (programmatic dependent launch).
__device__ __forceinline__ void begin_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace
