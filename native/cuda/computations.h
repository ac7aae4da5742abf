#pragma once
// Computations passed by callers (core/computation.h), compiled for this GPU at their first run.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/computation.h"
#include "cuda/device.h"

namespace collbench::cuda {

/// Size of a launch whose kernel uses block numbers.
struct Grid {
  unsigned blocks, threads;
  /// True: the kernel itself waits for the previous one (griddepcontrol), so it may start while that one
  /// ends.
  bool overlaps;
};

class Computations {
 public:
  explicit Computations(Device& device) : device_(device) {}
  ~Computations();
  Computations(const Computations&) = delete;
  Computations& operator=(const Computations&) = delete;

  /// Queues the computation. @throws Error(kUnavailable) without NVRTC, or with the compiler's log
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  void launch(const Computation& computation, const void* arguments, const Grid& grid);

 private:
  void* function_of(const Computation& computation);

  Device& device_;
  std::map<const char*, void*> modules_;                            // loaded modules by source
  std::map<std::pair<const char*, std::string>, void*> functions_;  // functions by source and kernel name
};

}  // namespace collbench::cuda
