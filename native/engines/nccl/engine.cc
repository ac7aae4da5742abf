// Engine of NCCL with one GPU per rank; every vendor library is opened at run time (README.md).
#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <optional>

#include "core/cores.h"
#include "core/error.h"
#include "core/shared_object.h"
#include "core/text.h"
#include "cuda/concurrent_load/kinds.h"
#include "cuda/graphs.h"
#include "engines/gpu/gpu_engine.h"
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
#include "transports/sisci/transport.h"

namespace collbench::nccl {
namespace {

const NcclApi& require_nccl(const NcclSettings& settings) {
  const cuda::LibrarySearch found = find_nccl(settings.library);
  if (found.path.empty())
    throw Error(ErrorCode::kUnavailable,
                "no libnccl.so.2 found; looked at " + join(found.tried) + "; name one with --nccl PATH");
  return open_nccl(found.path);
}

class NcclEngine final : public GpuEngine {
 public:
  NcclEngine(Bootstrap& bootstrap, const EngineOptions& options, const NcclSettings& settings)
      : GpuEngine(bootstrap, options),
        transport_(options.transport),
        settings_(settings),
        log_(options.log_fd),
        environment_(environment_for(options.transport, options.transport_options, settings, log_.path(),
                                     options.local_ranks)) {
    set_environment(
        environment_);  // Set before libnccl is opened, and again if its version makes a difference.
    if (over_software_card(options.transport, options.transport_options))
      ibgda::load_lookalikes(options.transport_options);
    open_gpu(options, settings.gpus, settings.share_gpu, settings.host_check);
    api_ = &require_nccl(settings);
    environment_ = environment_for(options.transport, options.transport_options, settings, log_.path(),
                                   options.local_ranks, api_->version);
    set_environment(environment_);
    if (api_->version < kFirstWithPluginPath) open_plugin(options);
    find_sharing(bootstrap, settings.share_gpu);
    require_one_version(bootstrap, "NCCL", api_->version_text(), "--nccl");
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
    if (own) device_api_ = std::make_unique<DeviceApi>(object, *comm_, ranks_, settings_.device_api);
    describe(options);
  }

  ~NcclEngine() override {
    // NCCL ends a communicator, also by an abort, only when all graphs with its calls are destroyed.
    graphs_->clear();
    // Kernels of a communicator whose peers are gone never end by themselves.
    if (broken_ || is_cancelled()) comm_->abort();
  }

  void* buffer(int index, std::size_t bytes) override { return buffers_->get(index, bytes); }
  void release_buffers() override {
    graphs_->clear();
    buffers_->release();
  }
  [[nodiscard]] std::size_t rotation_bytes() const override {
    return settings_.hot ? 0 : GpuEngine::rotation_bytes();
  }
  [[nodiscard]] bool equal_buffers() const override {
    return settings_.registration == Registration::kSymmetric;
  }
  [[nodiscard]] std::size_t misalign_elements() const override { return settings_.misalign; }
  [[nodiscard]] bool replays_batches() const override { return settings_.graph; }

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

  /// Returns true, so that both ranks of a message call transfer() in the same way. Reason: NCCL makes the
  /// connections of a group before any of its data move. If one rank sends and receives in one group and its
  /// peer uses two groups, each waits for a connection that the other has not begun.
  [[nodiscard]] bool pairs_transfers() const override { return true; }

  void synchronize() override {
    wait_for_stream([&] { comm_->check_async_error(); });
    if (settings_.attest) log_.update();
  }

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

  /// Opens the net plugin by its path if this NCCL version accepts only names. The loader then finds it by
  /// its name.
  void open_plugin(const EngineOptions& options) const {
    const std::string file = plugin_file(options.transport, options.transport_options);
    std::string why;
    if (!file.empty() && open_shared(file, why) == nullptr) throw Error(ErrorCode::kUnavailable, why);
  }

  void describe(const EngineOptions& options) {
    if (transport_ == "sisci") {
      const Availability sisci = probe_sisci(options.transport_options);
      properties_.detail = sisci.detail;
      properties_.medium = sisci.medium;
    }
    properties_.detail.library = "NCCL " + api_->version_text();
    properties_.detail.library_transport = transport_;
    if (over_software_card(transport_, options.transport_options)) describe_software_card();
    describe_gpu();
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

  const std::string transport_;
  const NcclSettings settings_;
  mutable LogCapture log_;
  Environment environment_;
  PluginCounters plugin_counters_ = nullptr;
  bool sends_only_ = false;
  // Members are destroyed from the bottom up: what lies in NCCL's memory before the communicator.
  const NcclApi* api_ = nullptr;
  std::optional<Communicator> comm_;
  std::optional<NcclBuffers> buffers_;
  std::optional<cuda::Graphs<CallBatch>> graphs_;
  std::unique_ptr<DeviceApi> device_api_;
};

Abilities abilities() {
  return {{Ability::kCollectives,
           {{"collective", names_of(queued_kinds())},
            {"matrix", {"uneven"}},  // Kernels verify no other parts.
            {"dtype", names_of(kDataTypeNames)},
            {"op", names_of(kReduceOps)}}},
          {Ability::kMessages, {{"path", {"stream", "host"}}}},
          {Ability::kComputations, {}}};
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
