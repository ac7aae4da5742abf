// Kernels of our own that communicate by themselves, one GPU per rank (README.md).
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/spin.h"
#include "cuda/computations.h"
#include "cuda/tools.h"
#include "engines/cpu/engine.h"
#include "engines/cuda/device_port.h"
#include "engines/cuda/launches.h"
#include "engines/cuda/probe.h"
#include "engines/cuda/put_port.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {
namespace {

constexpr int kLookEvery = 1024;  // polls of the stream between looks at whether to stop

std::unique_ptr<Transport> transport_of(const EngineOptions& options, int rank, int ranks) {
  const TransportEntry* entry = find_transport(options.transport);
  if (entry == nullptr || entry->name != "ibgda")
    throw Error(ErrorCode::kInvalidArgument,
                "the cuda engine has no transport \"" + options.transport + "\"; it has ibgda");
  TransportOptions its = options.transport_options;
  its.rank = rank;
  its.ranks = ranks;
  its.initiators = kInitiators;
  return entry->create(its);
}

cpu::Tuning host_tuning(const EngineOptions& options, int ranks) {
  cpu::Tuning tuning;
  tuning.spins = std::min(tuning.spins, options.spins.value_or(spins_for(ranks)));
  return tuning;
}

class CudaEngine final : public Engine {
 public:
  CudaEngine(Bootstrap& bootstrap, const EngineOptions& options, const CudaSettings& settings)
      : settings_(settings), cancelled_(options.cancelled) {
    const cuda::DriverApi& driver = cuda::require_driver();
    device_.emplace(driver, cuda::choose_gpu(driver, {settings.gpus, settings.share_gpu, options.local_rank,
                                                      options.local_ranks}));
    tools_ = cuda::make_tools(*device_, settings.host_check);
    facts_ = tools_.facts;
    computations_.emplace(*device_);
    const int ranks = bootstrap.size();
    host_.emplace(bootstrap, transport_of(options, bootstrap.rank(), ranks), "", options.cancelled,
                  host_tuning(options, ranks));
    const auto places = bootstrap.all_gather("GPU of each rank", device_->pci());
    const bool is_shared = std::count(places.begin(), places.end(), device_->pci()) > 1;
    puts_ = make_put_port(*device_, host_->put_port());
    port_ = make_device_port(*device_, is_shared);
    facts_.merge(measure_launches(*device_));
    describe(options.transport, is_shared);
  }

  void* buffer(int index, std::size_t bytes) override {
    cuda::DeviceMemory& memory = buffers_.at(static_cast<std::size_t>(index));
    if (memory.bytes() < bytes) {
      memory = cuda::DeviceMemory();  // the old one goes first: both together might not fit
      memory = cuda::DeviceMemory(device_->driver(), bytes);
    }
    return memory.data();
  }
  void release_buffers() override {
    for (cuda::DeviceMemory& memory : buffers_) memory = cuda::DeviceMemory();
    host_->release_buffers();
  }

  /// By way of the host's memory: addresses and counts, no payload that is measured.
  void transfer(std::span<const Message> messages) override {
    std::size_t sent = 0, received = 0;
    for (const Message& message : messages)
      (message.way == Message::Way::kSend ? sent : received) += message.bytes;
    auto* out = static_cast<std::byte*>(host_->buffer(0, std::max<std::size_t>(sent, 1)));
    auto* in = static_cast<std::byte*>(host_->buffer(1, std::max<std::size_t>(received, 1)));
    std::vector<Message> staged(messages.begin(), messages.end());
    for (Message& message : staged) {
      std::byte*& at = message.way == Message::Way::kSend ? out : in;
      if (message.way == Message::Way::kSend) device_->download(at, message.data, message.bytes);
      message.data = at;
      at += message.bytes;
    }
    host_->transfer(staged);
    for (std::size_t n = 0; n < staged.size(); ++n)
      if (staged[n].way == Message::Way::kReceive)
        device_->upload(messages[n].data, staged[n].data, staged[n].bytes);
  }

  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override {
    computations_->launch(computation, arguments, threads);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { device_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override {
    device_->download(to, from, bytes);
  }
  PutPort& put_port() override { return *puts_; }
  DevicePort* device_port() override { return port_.get(); }
  void stop_if_cancelled() const override { host_->stop_if_cancelled(); }

  void synchronize() override {
    Spinner spinner;
    for (int polls = 1; !device_->idle(); ++polls) {
      if (polls % kLookEvery == 0) stop_if_cancelled();
      spinner.step();
    }
  }

  [[nodiscard]] std::map<std::string, std::string> facts() const override { return facts_; }
  [[nodiscard]] DeviceProperties device() const override { return properties_; }
  [[nodiscard]] TransportCounters counters() const override { return host_->counters(); }

 private:
  void describe(const std::string& transport, bool is_shared) {
    const DeviceProperties card = host_->device();
    properties_.name =
        "GPU " + std::to_string(device_->ordinal()) + " " + device_->name() + " [" + device_->pci() + "]";
    properties_.medium = card.medium;
    properties_.detail = card.detail;
    if (device_->driver().fake) {
      properties_.medium = Medium::kEmulated;
      properties_.detail += ", GPUs faked on host memory";
    }
    facts_["gpu"] = properties_.name;
    facts_["transport"] = transport;
    if (is_shared) facts_["gpu.shared"] = "1";
  }

  const CudaSettings settings_;
  const std::function<bool()> cancelled_;
  std::map<std::string, std::string> facts_;
  DeviceProperties properties_;
  // Destroyed from the bottom up: what the card knows before the card, all before the device.
  std::optional<cuda::Device> device_;
  cuda::DeviceTools tools_;
  std::optional<cuda::Computations> computations_;
  std::array<cuda::DeviceMemory, 2> buffers_;
  std::optional<cpu::CpuEngine> host_;
  std::unique_ptr<PutPort> puts_;
  std::unique_ptr<DevicePort> port_;
};

Abilities abilities() {
  return {{Ability::kPuts,
           {{"path", {"host", "stream", "proxy", "triggered", "kernel"}}, {"scope", {"thread", "warp", "block"}}}}};
}

/// @throws Error as the parts do: settings, libraries, device, transport
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return std::make_unique<CudaEngine>(bootstrap, options, parse_settings(options.settings));
}

}  // namespace
}  // namespace collbench::gpu

namespace collbench {
EngineEntry cuda_engine() { return {"cuda", gpu::create, gpu::abilities, gpu::probe}; }
}  // namespace collbench
