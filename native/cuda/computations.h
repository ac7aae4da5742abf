#pragma once
// Computations passed by callers (core/computation.h), compiled for this GPU at their first run.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/computation.h"
#include "cuda/device.h"

namespace collbench::cuda {

/// Launch shape of a kernel whose work depends on its block number: number of blocks, threads per block.
struct Grid {
  unsigned blocks, threads;
  /// True: the kernel waits by itself for the previous kernel (griddepcontrol), so it may start while the
  /// previous one ends. Ignored for GPUs before compute capability 9.0 and drivers without cuLaunchKernelEx.
  bool overlaps;
};

class Computations {
 public:
  explicit Computations(Device& device) : device_(device) {}
  ~Computations();
  Computations(const Computations&) = delete;
  Computations& operator=(const Computations&) = delete;

  /// Queues a computation (a kernel given as source text, compiled at its first use) on the device's stream.
  /// A fake GPU instead runs the computation's function for hosts.
  /// @param arguments copied by the call
  /// @param threads minimum number of threads; whole blocks of 256 are launched
  /// @throws Error(kUnavailable) if NVRTC is missing, or with the compiler's log
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  /// Like the other launch(), but with exactly the blocks and threads of `grid`.
  void launch(const Computation& computation, const void* arguments, const Grid& grid);

 private:
  void* function_of(const Computation& computation);

  Device& device_;
  std::map<const char*, void*> modules_;                            // loaded modules by source
  std::map<std::pair<const char*, std::string>, void*> functions_;  // functions by source and kernel name
};

}  // namespace collbench::cuda
