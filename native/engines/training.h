#pragma once
// A training job that an engine runs on all ranks together (Ability::kTraining): steps of data-parallel
// training on synthetic images.
#include <cstdint>
#include <optional>
#include <string>

#include "core/verification.h"
#include "measure/trial.h"

namespace collbench {

/// Parameters of a training job, equal on every rank.
struct TrainingJob {
  std::string model;       // Model name in the framework: "resnet50".
  std::int64_t batch = 0;  // Images per rank and step.
  std::int64_t image = 0;  // Edge length of the images in pixels.
  std::string numerics;    // One of "fp32", "tf32", "amp-bf16", "bf16".
  /// MiB of gradients that are reduced in one collective; absent = the framework's default.
  std::optional<std::int64_t> bucket_mib;
  bool compiled = false;  // True if the framework compiles the model before training (torch.compile).
  bool profiled = false;  // True if every step runs under the framework's profiler.
  std::uint64_t seed = 0;
};

/// A training job on one rank. It is ready to run: the model is built and warmed up, and its parameters are
/// equal on all ranks.
class Training {
 public:
  virtual ~Training() = default;
  /// Starts `steps` training steps, one after another without pauses; they are complete when wait() returns.
  virtual void start(std::uint32_t steps) = 0;
  virtual void wait() = 0;
  /// Compares the model parameters of all ranks, which must be equal; all ranks must call it together. A loss
  /// that is not finite counts as wrong.
  virtual Verification verify() = 0;
  /// Appends one value to each result column in `columns`, by name: bytes reduced per step ("stepBytes"),
  /// number of collectives per step ("collectives"), peak GPU memory in bytes if known ("peakBytes"). If
  /// profiled, also bytes of the gradient buckets and when they are ready in a step, in ns ("timeline.*"),
  /// and the profiler's times of the last step, in ns. All ranks must call it together.
  virtual void take_columns(OperationColumns& columns) = 0;
};

}  // namespace collbench
