#pragma once
// Base of the engines with one GPU per rank: the GPU, its test data and timeline, and what ranks compare.
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "cuda/computations.h"
#include "cuda/device.h"
#include "cuda/tools.h"
#include "engines/engine.h"
#include "transports/plugin/software_card.h"

namespace collbench {

/// Identifies a batch (calls that are queued together) whose CUDA graph was recorded. All calls of a batch
/// differ only in their positions in the buffers.
struct CallBatch {
  CollectiveCall first;
  std::size_t calls;
  bool operator==(const CallBatch&) const = default;
};

class GpuEngine : public Engine {
 public:
  [[nodiscard]] bool on_device() const override { return true; }
  [[nodiscard]] std::size_t rotation_bytes() const override { return kColdBytes; }
  void prepare(const Pattern& pattern, int rank, std::uint64_t iteration,
               const CollectiveCall& call) override {
    tools_.data->prepare(pattern, rank, iteration, const_cast<void*>(call.send), call.recv);
  }
  Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                      const CollectiveCall& call) override {
    return tools_.data->verify(pattern, rank, iteration, call.recv);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    guarded([&] { device_->upload(to, from, bytes); });
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    guarded([&] { device_->download(to, from, bytes); });
  }
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override {
    guarded([&] { computations_->launch(computation, arguments, threads); });
  }
  DeviceTimeline* timeline() override { return tools_.timeline.get(); }
  [[nodiscard]] DeviceProperties device() const override { return properties_; }
  [[nodiscard]] std::map<std::string, std::string> facts() const override { return facts_; }

 protected:
  GpuEngine(const Bootstrap& bootstrap, const EngineOptions& options)
      : rank_(bootstrap.rank()), ranks_(bootstrap.size()), cancelled_(options.cancelled) {}

  /// Opens the rank's GPU, and creates the tools that fill buffers, check results and take times on it.
  /// @param gpus numbers of the GPUs that ranks of this host may use; empty = all
  /// @param share true: several ranks may use one GPU
  /// @param host_check true: the host fills and checks, even if kernels could
  /// @throws errors of the driver, the GPU and the compiler
  void open_gpu(const EngineOptions& options, const std::vector<int>& gpus, bool share, bool host_check);

  /// Finds out whether another rank uses this rank's GPU, for describe_gpu() too. All ranks must call it
  /// together.
  /// @return true if so
  /// @throws Error(kInvalidArgument) if so and `may_share` is false
  bool find_sharing(Bootstrap& bootstrap, bool may_share);
  /// Number of ranks whose kernels run on this rank's GPU at the same time: above 1 with CUDA MPS. Valid
  /// after find_sharing().
  [[nodiscard]] int ranks_at_once() const { return device_->uses_mps() ? ranks_on_gpu_ : 1; }

  /// Checks that all ranks have this version of a library; all ranks must call it together.
  /// @param option option of the command line that names the library
  /// @throws Error(kUnavailable) if one has another version
  void require_one_version(Bootstrap& bootstrap, const std::string& library, const std::string& version,
                           const std::string& option) const;

  /// Describes the GPU in properties_ and facts_. Call it after the engine has filled properties_ with what
  /// moves the data, because for a fake GPU it changes the medium to emulated.
  void describe_gpu();
  /// Describes the software adapter softmlx5, which a library of this process has loaded as its adapter.
  void describe_software_card();

  /// Does work that leaves the engine unusable if it throws.
  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (...) {
      broken_ = true;
      throw;
    }
  }

  [[nodiscard]] bool is_cancelled() const { return cancelled_ && cancelled_(); }

  /// Returns when the stream is idle. @param check called every kLookEvery polls; may throw
  /// @throws Error(kCancelled) if the launch was cancelled; then the engine is unusable
  template <class Check>
  void wait_for_stream(Check check) {
    guarded([&] {
      Spinner spinner;
      for (int polls = 1; !device_->idle(); ++polls) {
        if (polls % kLookEvery == 0) {
          check();
          if (is_cancelled()) throw Error(ErrorCode::kCancelled, "stopped while the GPU was at work");
        }
        spinner.step();
      }
    });
  }

  static constexpr int kLookEvery = 1024;  // Polls of the stream between two checks for cancellation.

  const int rank_, ranks_;
  const std::function<bool()> cancelled_;
  std::map<std::string, std::string> facts_;
  DeviceProperties properties_;
  std::optional<plugin::SoftwareCard> card_;
  bool broken_ = false;
  int ranks_on_gpu_ = 1;  // This rank included.
  // An engine's members are destroyed before those of its base, so before the device.
  std::optional<cuda::Device> device_;
  cuda::DeviceTools tools_;
  std::optional<cuda::Computations> computations_;

 private:
  /// Bytes through which successive calls rotate, so that caches are cold: more than twice the last-level
  /// cache of any known GPU.
  static constexpr std::size_t kColdBytes = std::size_t{256} << 20;
};

}  // namespace collbench
