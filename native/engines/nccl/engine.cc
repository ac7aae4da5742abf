// Engine of NCCL with one GPU per rank; every vendor library is opened at run time (README.md).
#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <optional>

#include "core/cores.h"
#include "core/error.h"
#include "core/shared_object.h"
#include "core/spin.h"
#include "core/text.h"
#include "cuda/computations.h"
#include "cuda/concurrent_load/kinds.h"
#include "cuda/graphs.h"
#include "cuda/tools.h"
#include "engines/nccl/buffers.h"
#include "engines/nccl/calls.h"
#include "engines/nccl/copy_limit.h"
#include "engines/nccl/device_api/device_api.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"
#include "engines/nccl/probe.h"
#include "engines/nccl/search.h"
#include "engines/nccl/settings.h"
#include "transports/ibgda/lookalikes.h"
#include "transports/plugin/software_card.h"
#include "transports/sisci/transport.h"

namespace collbench::nccl {
namespace {

/// Bytes through which successive calls rotate, so that caches are cold: more than twice the last-level cache
/// of any known GPU.
constexpr std::size_t kColdBytes = std::size_t{256} << 20;
constexpr int kLookEvery = 1024;  // Polls of the stream between two checks for NCCL's asynchronous errors.

const NcclApi& require_nccl(const NcclSettings& settings) {
  const cuda::LibrarySearch found = find_nccl(settings.library);
  if (found.path.empty())
    throw Error(ErrorCode::kUnavailable,
                "no libnccl.so.2 found; looked at " + join(found.tried) + "; name one with --nccl PATH");
  return open_nccl(found.path);
}

/// Identifies a batch (calls that are queued together) whose CUDA graph was recorded. All calls of a batch
/// differ only in their positions in the buffers.
struct Batch {
  CollectiveCall first;
  std::size_t calls;
  bool operator==(const Batch& other) const {
    return calls == other.calls && first.send == other.first.send && first.recv == other.first.recv &&
           first.operation == other.first.operation;
  }
};

class NcclEngine final : public Engine {
 public:
  NcclEngine(Bootstrap& bootstrap, const EngineOptions& options, const NcclSettings& settings)
      : rank_(bootstrap.rank()),
        ranks_(bootstrap.size()),
        transport_(options.transport),
        settings_(settings),
        cancelled_(options.cancelled),
        log_(options.log_fd),
        environment_(environment_for(options.transport, options.transport_options, settings, log_.path(),
                                     options.local_ranks)) {
    set_environment(
        environment_);  // Set before libnccl is opened, and again if its version makes a difference.
    if (over_software_card(options.transport, options.transport_options))
      ibgda::load_lookalikes(options.transport_options);
    const cuda::DriverApi& driver = cuda::require_driver();
    device_.emplace(driver, cuda::choose_gpu(driver, {settings.gpus, settings.share_gpu, options.local_rank,
                                                      options.local_ranks}));
    api_ = &require_nccl(settings);
    environment_ = environment_for(options.transport, options.transport_options, settings, log_.path(),
                                   options.local_ranks, api_->version);
    set_environment(environment_);
    if (api_->version < kFirstWithPluginPath) open_plugin(options);
    compare_ranks(bootstrap);
    tools_ = cuda::make_tools(*device_, settings_.host_check);
    facts_ = tools_.facts;
    const bool own = settings_.device_api != DeviceReach::kNone;
    const std::string object = own ? prepare_device_api(*api_, device_->capability(), cancelled_) : "";
    const std::size_t free_before = device_->free_bytes();
    comm_.emplace(*api_, bootstrap, settings, cancelled_);
    const std::size_t free_after = device_->free_bytes();
    facts_["nccl.memoryBytes"] = std::to_string(free_before > free_after ? free_before - free_after : 0);
    log_.update();
    refuse_other_network(environment_, log_, transport_);
    buffers_.emplace(*device_, *comm_, settings.registration);
    graphs_.emplace(*device_);
    computations_.emplace(*device_);
    if (own) device_api_ = std::make_unique<DeviceApi>(object, *comm_, ranks_, settings_.device_api);
    describe(options);
  }

  ~NcclEngine() override {
    // NCCL ends a communicator, also by an abort, only when all graphs with its calls are destroyed.
    graphs_->clear();
    // Kernels of a communicator whose peers are gone never end by themselves.
    if (broken_ || (cancelled_ && cancelled_())) comm_->abort();
  }

  void* buffer(int index, std::size_t bytes) override { return buffers_->get(index, bytes); }
  void release_buffers() override {
    graphs_->clear();
    buffers_->release();
  }
  [[nodiscard]] std::size_t rotation_bytes() const override { return settings_.hot ? 0 : kColdBytes; }
  [[nodiscard]] bool equal_buffers() const override {
    return settings_.registration == Registration::kSymmetric;
  }
  [[nodiscard]] std::size_t misalign_elements() const override { return settings_.misalign; }
  [[nodiscard]] bool replays_batches() const override { return settings_.graph; }

  void prepare(const Pattern& pattern, int rank, std::uint64_t iteration,
               const CollectiveCall& call) override {
    tools_.data->prepare(pattern, rank, iteration, const_cast<void*>(call.send), call.recv);
  }
  Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                      const CollectiveCall& call) override {
    return tools_.data->verify(pattern, rank, iteration, call.recv);
  }

  void enqueue(const CollectiveCall& call) override {
    if (settings_.attest) forget_choice(call.operation.kind);
    guarded([&] { queue(call); });
  }

  void enqueue_all(std::span<const CollectiveCall> calls) override {
    guarded([&] {
      if (settings_.graph)
        graphs_->run({calls[0], calls.size()}, [&] { queue_all(calls); });
      else
        queue_all(calls);
    });
  }

  void transfer(std::span<const PeerMessage> messages) override {
    if (settings_.attest) forget_choice(CollectiveKind::kSendrecv);
    guarded([&] { queue_messages(*comm_, messages, device_->stream()); });
  }

  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override {
    guarded([&] { computations_->launch(computation, arguments, threads); });
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    guarded([&] { device_->upload(to, from, bytes); });
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    guarded([&] { device_->download(to, from, bytes); });
  }

  /// Returns true, so that both ranks of a message call transfer() in the same way. Reason: NCCL makes the
  /// connections of a group before any of its data move. If one rank sends and receives in one group and its
  /// peer uses two groups, each waits for a connection that the other has not begun.
  [[nodiscard]] bool pairs_transfers() const override { return true; }

  void synchronize() override {
    guarded([&] {
      Spinner spinner;
      for (int polls = 1; !device_->idle(); ++polls) {
        if (polls % kLookEvery == 0) {
          comm_->check_async_error();
          if (cancelled_ && cancelled_())
            throw Error(ErrorCode::kCancelled, "stopped while the GPU was at work");
        }
        spinner.step();
      }
    });
    if (settings_.attest) log_.update();
  }

  DeviceTimeline* timeline() override { return tools_.timeline.get(); }
  [[nodiscard]] std::string algorithm_of(const Operation&) const override {
    if (device_api_) return device_api_->name();
    const std::string& logged = log_.findings().algorithm;
    return logged.empty() && sends_only_ && rank_ == 0 ? "SendRecv" : logged;
  }
  [[nodiscard]] std::string protocol_of(const Operation&) const override {
    return device_api_ ? std::string() : log_.findings().protocol;
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const override {
    log_.update();
    return log_.findings().paths;
  }
  [[nodiscard]] DeviceProperties device() const override { return properties_; }
  [[nodiscard]] std::map<std::string, std::string> facts() const override { return facts_; }

  [[nodiscard]] TransportCounters counters() const override {
    if (card_) return card_->counters();
    TransportCounters counters;
    if (plugin_counters_ != nullptr) {
      unsigned long long values[4] = {};
      plugin_counters_(values);
      counters = {values[0], values[1], values[2], values[3]};
    }
    return counters;
  }

 private:
  using PluginCounters = void (*)(unsigned long long* four);

  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (...) {
      broken_ = true;
      throw;
    }
  }

  /// Clears algorithm and protocol in the log's findings before a call, and notes whether the call consists
  /// of sends and receives. NCCL logs neither for these, so the values of an earlier collective would remain.
  void forget_choice(CollectiveKind kind) {
    log_.update();
    log_.forget_choice();
    sends_only_ = kind >= CollectiveKind::kAlltoall;
  }

  void queue(const CollectiveCall& call) {
    if (device_api_)
      device_api_->queue(call, *buffers_, device_->stream());
    else
      queue_call(*comm_, call, rank_, ranks_, device_->stream());
  }

  void queue_all(std::span<const CollectiveCall> calls) {
    const auto group = static_cast<std::size_t>(settings_.aggregate);
    for (std::size_t first = 0; first < calls.size(); first += group) {
      const auto part = calls.subspan(first, std::min(group, calls.size() - first));
      if (group > 1) comm_->check(api_->group_start(), "ncclGroupStart");
      for (const CollectiveCall& call : part) queue(call);
      if (group > 1) comm_->check(api_->group_end(), "ncclGroupEnd");
    }
  }

  /// Compares this rank with all lower ranks; all ranks must call it together. Throws if one has another NCCL
  /// version, or the same GPU without `shareGpu`. So rank 0 never throws; other ranks' errors end its launch.
  /// NCCL reports these with an unclear error, or hangs.
  void compare_ranks(Bootstrap& bootstrap) {
    const std::string mine = cuda::this_machine() + " " + device_->pci();
    const auto devices = bootstrap.all_gather("GPU of each rank", mine);
    for (int r = 0; r < rank_ && !settings_.share_gpu; ++r)
      if (devices[static_cast<std::size_t>(r)] == mine)
        throw Error(ErrorCode::kInvalidArgument,
                    "ranks " + std::to_string(r) + " and " + std::to_string(rank_) + " both have GPU " +
                        device_->pci() + " of " + cuda::this_machine() +
                        "; give each its own with --gpus, or allow it with --share-gpu");
    const auto versions = bootstrap.all_gather("NCCL version of each rank", api_->version_text());
    for (int r = 0; r < rank_; ++r)
      if (versions[static_cast<std::size_t>(r)] != api_->version_text())
        throw Error(ErrorCode::kUnavailable, "rank " + std::to_string(r) + " has NCCL " +
                                                 versions[static_cast<std::size_t>(r)] + ", rank " +
                                                 std::to_string(rank_) + " has " + api_->version_text() +
                                                 "; one run needs one version: name it with --nccl PATH");
  }

  /// Opens the net plugin by its path if this NCCL version accepts only names. The loader then finds it by
  /// its name.
  void open_plugin(const EngineOptions& options) const {
    const std::string file = plugin_file(options.transport, options.transport_options);
    std::string why;
    if (!file.empty() && open_shared(file, why) == nullptr) throw Error(ErrorCode::kUnavailable, why);
  }

  void describe(const EngineOptions& options) {
    properties_.name =
        "GPU " + std::to_string(device_->ordinal()) + " " + device_->name() + " [" + device_->pci() + "]";
    if (transport_ == "sisci") {
      const Availability sisci = probe_sisci(options.transport_options);
      properties_.detail = sisci.detail;
      properties_.medium = sisci.medium;
    }
    properties_.detail.library = "NCCL " + api_->version_text();
    properties_.detail.library_transport = transport_;
    if (over_software_card(transport_, options.transport_options)) {
      card_ = plugin::SoftwareCard::in_this_process();
      properties_.medium = Medium::kEmulated;
      if (card_) card_->describe(properties_.detail);
    }
    if (device_->driver().fake) {
      properties_.medium = Medium::kEmulated;
      properties_.detail.is_fake = true;
    }
    facts_["gpu"] = properties_.name;
    if (device_api_)
      facts_[settings_.device_api == DeviceReach::kGin ? "deviceApi.gin" : "deviceApi.lsa"] = "available";
    facts_["nccl.path"] = api_->path;
    facts_["nccl.version"] = api_->version_text();
    if (const std::string& plugin = log_.findings().plugin; !plugin.empty()) facts_["net.loaded"] = plugin;
    facts_["nccl.initNs"] = std::to_string(comm_->init_ns());
    for (const auto& [name, value] : environment_)
      if (!is_secret(name)) facts_["env." + name] = value;
    if (transport_ == "sisci" && rank_ == 0 && properties_.medium == Medium::kEmulated) describe_copies();
    if (transport_ == "sisci")
      if (void* plugin = dlopen(sisci_plugin_path().c_str(), RTLD_NOLOAD | RTLD_LAZY))
        plugin_counters_ = reinterpret_cast<PluginCounters>(dlsym(plugin, "collbenchNetCounters"));
  }

  /// Records how fast host memory can be copied, by one thread and, with more than four cores, by four: as
  /// many as an emulated adapter uses. These rates limit an emulated adapter.
  void describe_copies() {
    constexpr int kEngines = 4;  // Largest number of engines per process (emulated/softntb/dma/engines.cc).
    facts_["host.copyGBps"] = std::to_string(host_copy_gbps(1));
    if (usable_cores() > kEngines) facts_["host.copyGBps.4"] = std::to_string(host_copy_gbps(kEngines));
  }

  const int rank_, ranks_;
  const std::string transport_;
  const NcclSettings settings_;
  const std::function<bool()> cancelled_;
  mutable LogCapture log_;
  Environment environment_;
  std::map<std::string, std::string> facts_;
  DeviceProperties properties_;
  PluginCounters plugin_counters_ = nullptr;
  std::optional<plugin::SoftwareCard> card_;
  bool broken_ = false;
  bool sends_only_ = false;
  // Members are destroyed from the bottom up: what lies in NCCL's memory before the communicator, everything
  // before the device.
  const NcclApi* api_ = nullptr;
  std::optional<cuda::Device> device_;
  cuda::DeviceTools tools_;
  std::optional<Communicator> comm_;
  std::optional<NcclBuffers> buffers_;
  std::optional<cuda::Graphs<Batch>> graphs_;
  std::optional<cuda::Computations> computations_;
  std::unique_ptr<DeviceApi> device_api_;
};

Abilities abilities() {
  return {{Ability::kCollectives,
           {{"collective", names_of(queued_kinds())},
            {"matrix", {"uneven"}},  // Kernels verify no other parts.
            {"dtype", names_of(kDataTypeNames)},
            {"op", names_of(kReduceOps)}}},
          {Ability::kMessages, {{"path", {"stream", "host"}}}},
          {Ability::kComputations, {{"dtype", {"float32", "float64"}}}}};
}

/// Creates the engine on one rank. @throws errors of settings, libraries, device or communicator
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  EngineOptions mine = options;
  mine.transport_options.rank = bootstrap.rank();
  mine.transport_options.ranks = bootstrap.size();
  return std::make_unique<NcclEngine>(bootstrap, mine, parse_settings(options.settings));
}

}  // namespace
}  // namespace collbench::nccl

namespace collbench {
EngineEntry nccl_engine() {
  return {"nccl", nccl::create, nccl::abilities, nccl::probe, true, cuda::load_kinds()};
}
}  // namespace collbench
