// One Jacobi iteration of a block, point by point. The file has no includes. NVRTC compiles it with the
// kernels at its end; on the host, kernels.cc calls update_point() for the first and last point of each row.
// Both give equal results, bit for bit: the order of the additions is fixed, and a quarter of a sum is exact.
#ifndef COLLBENCH_WORKLOADS_STENCIL_DEVICE_JACOBI_DEVICE_H
#define COLLBENCH_WORKLOADS_STENCIL_DEVICE_JACOBI_DEVICE_H

#ifdef __CUDACC__
#define CB_DEVICE __device__ inline
#else
#define CB_DEVICE inline
#endif

namespace collbench {
namespace stencil {

enum Side { kNorth, kSouth, kWest, kEast };
constexpr int kSides = 4;

/// Arguments for one iteration on one rank. `in` and `out` are arrays of rows with `width` points, without
/// the points around the block.
struct JacobiArgs {
  const void* in;
  void* out;
  /// Points just outside the block by side: a row for north and south, a column for west and east.
  const void* halos[kSides];
  void* edges[kSides];  // Copies of the outermost points of `out`, contiguous, ready to be sent.
  unsigned long long width;
  unsigned long long height;
};

/// Number of rows that one kernel thread updates.
constexpr unsigned kRowsPerThread = 8;

template <class T>
CB_DEVICE T average(T north, T south, T west, T east) {
  return static_cast<T>(0.25) * ((north + south) + (west + east));
}

template <class T>
CB_DEVICE void update_point(const JacobiArgs& a, unsigned long long x, unsigned long long y) {
  const T* in = static_cast<const T*>(a.in) + y * a.width + x;
  const T north = y > 0 ? *(in - a.width) : static_cast<const T*>(a.halos[kNorth])[x];
  const T south = y + 1 < a.height ? *(in + a.width) : static_cast<const T*>(a.halos[kSouth])[x];
  const T west = x > 0 ? *(in - 1) : static_cast<const T*>(a.halos[kWest])[y];
  const T east = x + 1 < a.width ? *(in + 1) : static_cast<const T*>(a.halos[kEast])[y];
  const T made = average(north, south, west, east);
  static_cast<T*>(a.out)[y * a.width + x] = made;
  if (y == 0) static_cast<T*>(a.edges[kNorth])[x] = made;
  if (y + 1 == a.height) static_cast<T*>(a.edges[kSouth])[x] = made;
  if (x == 0) static_cast<T*>(a.edges[kWest])[y] = made;
  if (x + 1 == a.width) static_cast<T*>(a.edges[kEast])[y] = made;
}

#ifdef __CUDACC__
/// Updates kRowsPerThread rows of one column. Thread t has column t % width and begins at row t / width *
/// kRowsPerThread.
template <class T>
__device__ inline void update_column(const JacobiArgs& a) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned long long strip = thread / a.width;
  const unsigned long long x = thread - strip * a.width;
  for (unsigned row = 0; row < kRowsPerThread; ++row) {
    const unsigned long long y = strip * kRowsPerThread + row;
    if (y < a.height) update_point<T>(a, x, y);
  }
}
extern "C" __global__ void collbench_jacobi_float32(JacobiArgs a) { update_column<float>(a); }
extern "C" __global__ void collbench_jacobi_float64(JacobiArgs a) { update_column<double>(a); }
#endif

}  // namespace stencil
}  // namespace collbench
#endif
