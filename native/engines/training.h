#pragma once
// A training job that an engine runs on all ranks together (Ability::kTraining): steps of data-parallel
// training on synthetic images.
#include <cstdint>
#include <optional>
#include <string>

#include "core/verification.h"
#include "measure/trial.h"

namespace collbench {

/// The same on every rank.
struct TrainingJob {
  std::string model;                       // as the framework names it: "resnet50"
  std::int64_t batch = 0;                  // images per rank and step
  std::int64_t image = 0;                  // edge, pixels
  std::string numerics;                    // "fp32", "tf32", "amp-bf16", "bf16"
  std::optional<std::int64_t> bucket_mib;  // gradients of one collective; absent = default of the framework
  bool compiled = false;
  bool profiled = false;  // every step runs under the framework's profiler
  std::uint64_t seed = 0;
};

/// One per rank and job, ready to run: built, warmed up, and alike on all ranks.
class Training {
 public:
  virtual ~Training() = default;
  /// Starts so many steps, back to back; they are complete when wait() returns.
  virtual void start(std::uint32_t steps) = 0;
  virtual void wait() = 0;
  /// Compares the parameters of all ranks, which all call it together. A loss that is not finite is wrong.
  virtual Verification verify() = 0;
  /// Adds what one step moves and, of a profiled job, the parts of the last step. All ranks call it together.
  virtual void take_columns(Columns& columns) = 0;
};

}  // namespace collbench
