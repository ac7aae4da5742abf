#pragma once
// Two pieces of work on a stream: one runs while the host queues the next.
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

  /// Calls `queue` to queue one piece of work, then waits until at most one piece is incomplete. @returns the
  /// number of pieces (0 or 1) that completed during the call
  int add(const std::function<void()>& queue);
  /// Waits until all pieces are complete.
  void drain();

 private:
  void wait(void* event);

  Device& device_;
  std::array<void*, 2> events_{};
  std::size_t next_ = 0, open_ = 0;
};

}  // namespace collbench::cuda
