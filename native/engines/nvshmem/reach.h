#pragma once
// One-sided operations: the point of each, tuned where it is first queued, and the launch.
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/kernels.h"
#include "engines/nvshmem/settings.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// What is tried, the usual one first: threads of a block, the piece of a bulk copy. One where nothing is to
/// be chosen. Pure.
std::vector<CollbenchNvshmemPoint> points_of(const OneSided& work, const NvshmemSettings& settings);

/// "128x512" of blocks, "128x32/16K" of bulk copies; "" where there is no block to choose for.
std::string words_of(const OneSided& work, const CollbenchNvshmemPoint& point);

class Reach {
 public:
  /// @param timeline may be null: nothing is tuned
  Reach(Kernels& kernels, cuda::Device& device, DeviceTimeline* timeline, const NvshmemSettings& settings)
      : kernels_(kernels), device_(device), timeline_(timeline), settings_(settings) {}

  void queue(const OneSided& work);
  [[nodiscard]] std::string point_in_words(const OneSided& work) const;

 private:
  CollbenchNvshmemPoint point_for(const OneSided& work);
  void launch(const OneSided& work, const CollbenchNvshmemPoint& point);

  Kernels& kernels_;
  cuda::Device& device_;
  DeviceTimeline* const timeline_;
  const NvshmemSettings settings_;
  std::vector<std::pair<OneSided, CollbenchNvshmemPoint>> points_;
};

}  // namespace collbench::nvshmem
