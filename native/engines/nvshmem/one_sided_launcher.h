#pragma once
// Launches one-sided operations with a launch shape that is tuned at the first use of each operation.
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/kernels.h"
#include "engines/nvshmem/settings.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// Returns the launch shapes (threads per block, bytes of a bulk copy) of which the fastest is to be found.
/// The first is the default. One shape if there is nothing to choose.
std::vector<CollbenchNvshmemPoint> points_of(const OneSided& work, const NvshmemSettings& settings);

/// Returns the launch shape `point` as text: "128x512" for blocks x threads, "128x32/16K" for bulk copies of
/// 16 KiB; "" if the number of threads per block cannot be chosen.
std::string format_shape(const OneSided& work, const CollbenchNvshmemPoint& point);

class OneSidedLauncher {
 public:
  /// @param timeline times the launch shapes that are tried; null = the default shape is used
  OneSidedLauncher(NvshmemKernels& kernels, cuda::Device& device, DeviceTimeline* timeline,
                   const NvshmemSettings& settings)
      : kernels_(kernels), device_(device), timeline_(timeline), settings_(settings) {}

  void queue(const OneSided& work);
  [[nodiscard]] std::string point_in_words(const OneSided& work) const;

 private:
  CollbenchNvshmemPoint point_for(const OneSided& work);
  void launch(const OneSided& work, const CollbenchNvshmemPoint& point);

  NvshmemKernels& kernels_;
  cuda::Device& device_;
  DeviceTimeline* const timeline_;
  const NvshmemSettings settings_;
  std::vector<std::pair<OneSided, CollbenchNvshmemPoint>> points_;
};

}  // namespace collbench::nvshmem
