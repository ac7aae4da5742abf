#pragma once
// Computations that callers bring along (core/computation.h), compiled for this GPU when they first run.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/computation.h"
#include "cuda/device.h"

namespace collbench::cuda {

/// Of a launch whose kernel counts blocks.
struct Grid {
  unsigned blocks, threads;
  /// The kernel waits by itself for the one before it (griddepcontrol): it may start while that one ends.
  bool overlaps;
};

class Computations {
 public:
  explicit Computations(Device& device) : device_(device) {}
  ~Computations();
  Computations(const Computations&) = delete;
  Computations& operator=(const Computations&) = delete;

  /// Queues it. @throws Error(kUnavailable) without NVRTC, or with the compiler's log
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  void launch(const Computation& computation, const void* arguments, const Grid& grid);

 private:
  void* function_of(const Computation& computation);

  Device& device_;
  std::map<const char*, void*> modules_;                            // by source
  std::map<std::pair<const char*, std::string>, void*> functions_;  // by source and name of the kernel
};

}  // namespace collbench::cuda
