#pragma once
// Two pieces of work on a stream, one of which runs while the host queues the next.
#include <array>
#include <cstddef>
#include <functional>

#include "cuda/device.h"

namespace collbench::cuda {

class TwoDeep {
 public:
  explicit TwoDeep(Device& device);
  ~TwoDeep();
  TwoDeep(const TwoDeep&) = delete;
  TwoDeep& operator=(const TwoDeep&) = delete;

  /// Queues one more. @returns once at most one is left that is not complete: how many have completed, 0 or 1
  int add(const std::function<void()>& queue);
  /// Waits for what is left.
  void drain();

 private:
  void wait(void* event);

  Device& device_;
  std::array<void*, 2> events_{};
  std::size_t next_ = 0, open_ = 0;
};

}  // namespace collbench::cuda
