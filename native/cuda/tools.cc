#include "cuda/tools.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/error.h"

namespace collbench::cuda {
namespace {

/// Time in ns after which a hold kernel ends even if the host has not released it.
constexpr std::uint64_t kGiveUpNs = 10'000'000'000;
/// Maximum number of operations queued while the stream is held back. Work queues of a GPU have 1024 entries,
/// those of NCCL's proxies fewer. With 64 operations the time of a time stamp is already negligible.
constexpr std::uint32_t kCapacity = 64;
constexpr int kProbes = 33;

/// The timer of a device's stream: CUDA events as time stamps, and a kernel that makes the stream wait until
/// the host releases it.
class HoldTimeline final : public DeviceTimeline {
 public:
  HoldTimeline(Device& device, const Kernels& kernels)
      : device_(device), kernels_(kernels), shared_(device.driver(), 64) {
    flag() = 0;
    gave_up() = 0;
    measure_mark();
  }
  ~HoldTimeline() override {
    for (void* event : events_) device_.driver().event_destroy(event);
  }

  void close() override {
    used_ = 0;
    kernels_.hold(shared_.device_address(), ++turn_, shared_.device_address() + sizeof(unsigned), kGiveUpNs);
  }
  void open() override { std::atomic_ref<unsigned>(flag()).store(turn_, std::memory_order_release); }

  void mark() override {
    const DriverApi& driver = device_.driver();
    if (used_ == events_.size())
      driver.check(driver.event_create(&events_.emplace_back(nullptr), 0), "cuEventCreate");
    driver.check(driver.event_record(events_[used_++], device_.stream()), "cuEventRecord");
  }

  std::vector<std::int64_t> take_marks_ns() override {
    if (std::atomic_ref<unsigned>(gave_up()).load(std::memory_order_acquire) != 0) {
      gave_up() = 0;
      throw Error(ErrorCode::kTimeout,
                  "the GPU waited 10 s for all ranks to have their operations queued and went on by itself; "
                  "another rank is stuck or the operations do not fit in the queue");
    }
    std::vector<std::int64_t> marks;
    for (std::size_t i = 0; i < used_; ++i) {
      float ms = 0;
      const DriverApi& driver = device_.driver();
      driver.check(driver.event_elapsed(&ms, events_.front(), events_[i]), "cuEventElapsedTime");
      marks.push_back(static_cast<std::int64_t>(static_cast<double>(ms) * 1e6 + 0.5));
    }
    return marks;
  }
  [[nodiscard]] std::int64_t mark_ns() const override { return mark_ns_; }
  [[nodiscard]] std::uint32_t capacity() const override { return kCapacity; }

 private:
  unsigned& flag() const { return static_cast<unsigned*>(shared_.data())[0]; }
  unsigned& gave_up() const { return static_cast<unsigned*>(shared_.data())[1]; }

  /// Measures the median time in ns between two time stamps of the stream that have no work between them.
  void measure_mark() {
    close();
    for (int i = 0; i < kProbes; ++i) mark();
    open();
    device_.drain();
    const std::vector<std::int64_t> marks = take_marks_ns();
    std::vector<std::int64_t> steps;
    for (std::size_t i = 1; i < marks.size(); ++i) steps.push_back(marks[i] - marks[i - 1]);
    std::nth_element(steps.begin(), steps.begin() + kProbes / 2, steps.end());
    mark_ns_ = steps[kProbes / 2];
  }

  Device& device_;
  const Kernels& kernels_;
  PinnedMemory shared_;  // the release flag, and whether the device gave up
  unsigned turn_ = 0;
  std::vector<void*> events_;
  std::size_t used_ = 0;
  std::int64_t mark_ns_ = 0;
};

}  // namespace

DeviceTools make_tools(Device& device, bool host_only) {
  DeviceTools tools;
  int version = 0;
  device.driver().check(device.driver().driver_version(&version), "cuDriverGetVersion");
  std::string why_not;
  const NvrtcApi* nvrtc = host_only ? nullptr : open_nvrtc(version / 1000, &why_not);
  if (nvrtc == nullptr) {
    if (!host_only) tools.facts["nvrtc.missing"] = why_not;
    tools.data = make_host_data(device);
    return tools;
  }
  tools.facts["nvrtc.path"] = nvrtc->path;
  tools.kernels = std::make_unique<Kernels>(device, *nvrtc);
  tools.data = make_device_data(device, *tools.kernels);
  tools.timeline = std::make_unique<HoldTimeline>(device, *tools.kernels);
  tools.facts["hold.markNs"] = std::to_string(tools.timeline->mark_ns());
  return tools;
}

}  // namespace collbench::cuda
