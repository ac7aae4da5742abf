// Engine of NVSHMEM with one GPU per rank: its own collectives, and our kernels on its symmetric memory
// (README.md).
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/error.h"
#include "cuda/graphs.h"
#include "engines/gpu/gpu_engine.h"
#include "engines/nvshmem/kernels.h"
#include "engines/nvshmem/messages.h"
#include "engines/nvshmem/network.h"
#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/one_sided_launcher.h"
#include "engines/nvshmem/probe.h"
#include "engines/nvshmem/settings.h"
#include "engines/nvshmem/toolchain.h"
#include "engines/nvshmem/tuner.h"
#include "engines/nvshmem/tuning.h"
#include "transports/ibgda/lookalikes.h"

namespace collbench::nvshmem {
namespace {

/// Environment variables whose values are recorded in the results, because they affect NVSHMEM's memory and
/// its reductions.
constexpr const char* kRecorded[] = {"NVSHMEM_DISABLE_NVLS", "NVSHMEM_SYMMETRIC_SIZE",
                                     "NVSHMEM_DISABLE_CUDA_VMM", "NCCL_NVLS_ENABLE"};

/// Keeps the device's context until the process ends, and makes exit() end with _exit(). Otherwise ranks may
/// crash at their end: NVSHMEM's proxy thread continues after nvshmem_finalize and reads memory of the
/// context and of libraries that exit() unloads. (Seen with 3.4.5 on two H100: every rank crashed after all
/// its work was done.)
void outlive_threads(cuda::Device& device) {
  device.keep_context();
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // Sanitizers write their reports later in exit().
  on_exit(
      [](int status, void*) {
        (void)std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
#endif
}

/// Returns the settings for a network. Kernels of this project load from and store to peers, which a network
/// does not allow. So only NVSHMEM's own collectives can be used.
/// @throws Error(kInvalidArgument) if another algorithm is requested
NvshmemSettings over_network(NvshmemSettings settings) {
  if (!settings.algorithm.empty() && settings.algorithm != "nvshmem")
    throw Error(ErrorCode::kInvalidArgument,
                "algorithm " + settings.algorithm +
                    " needs loads and stores between GPUs; over ibgda take --algo "
                    "nvshmem");
  settings.algorithm = "nvshmem";
  settings.tune = false;
  return settings;
}

class NvshmemEngine final : public GpuEngine {
 public:
  NvshmemEngine(Bootstrap& bootstrap, const EngineOptions& options, const NvshmemSettings& settings)
      : GpuEngine(bootstrap, options),
        is_network_(options.transport == kNetwork),
        settings_(is_network_ ? over_network(settings) : settings) {
    const NvshmemToolchainSearch tools = find_toolchain(settings.library);
    if (!tools.why_not.empty()) throw Error(ErrorCode::kUnavailable, tools.why_not);
    for (const auto& [name, value] : variables_of(options.transport, options.transport_options)) {
      setenv(name.c_str(), value.c_str(), 1);
      if (name != "SOFTMLX5_FABRIC") facts_["env." + name] = value;
    }
    const bool on_software = over_software_card(options.transport, options.transport_options);
    if (on_software) ibgda::load_lookalikes(options.transport_options);
    for (const char* name : kRecorded)
      if (const char* value = std::getenv(name)) facts_[std::string("env.") + name] = value;
    open_gpu(options, settings.gpus, false, settings.host_check);
    require_one_version(bootstrap, "NVSHMEM", tools.found.version, "--nvshmem");
    outlive_threads(*device_);
    kernels_.emplace(build_kernels(tools.found, device_->capability(), cancelled_), bootstrap, cancelled_);
    if (is_network_ && kernels_->reached() != 0)
      throw Error(ErrorCode::kUnavailable, "loads and stores reach " + std::to_string(kernels_->reached()) +
                                               " other ranks, where all should go through the card");
    if (!is_network_ && kernels_->reached() != ranks_ - 1)
      throw Error(ErrorCode::kUnavailable,
                  "loads and stores reach " + std::to_string(kernels_->reached()) + " of " +
                      std::to_string(ranks_ - 1) +
                      " other ranks: transport p2p needs CUDA P2P between all GPUs, on one machine");
    buffers_.emplace(*kernels_);
    reach_.emplace(*kernels_, *device_, tools_.timeline.get(), settings_);
    graphs_.emplace(*device_);
    if (tools_.timeline) scratch_ = kernels_->allocate(kScratchBytes);
    describe(tools, on_software);
  }

  ~NvshmemEngine() override {
    if (broken_) kernels_->abandon();
    if (scratch_ != nullptr) kernels_->free(scratch_);
  }

  void* buffer(int index, std::size_t bytes) override { return buffers_->get(index, bytes); }
  void release_buffers() override {
    graphs_->clear();
    buffers_->release();
  }
  [[nodiscard]] std::size_t rotation_bytes() const override {
    return settings_.hot ? 0 : GpuEngine::rotation_bytes();
  }
  [[nodiscard]] bool equal_buffers() const override { return true; }
  [[nodiscard]] bool replays_batches() const override { return settings_.graph; }
  /// Returns true, because both ranks of a message count their transfers with each other, and the counts must
  /// agree.
  [[nodiscard]] bool pairs_transfers() const override { return true; }

  void enqueue(const CollectiveCall& call) override {
    guarded([&] { queue(call, plan_for(call)); });
  }

  void enqueue_all(std::span<const CollectiveCall> calls) override {
    guarded([&] {
      const LaunchPlan plan = plan_for(calls[0]);
      const auto all = [&] {
        for (const CollectiveCall& call : calls) queue(call, plan);
      };
      if (settings_.graph)
        graphs_->run({calls[0], calls.size()}, all);
      else
        all();
    });
  }

  void transfer(std::span<const PeerMessage> messages) override {
    guarded([&] {
      for (CollbenchNvshmemTransfer& made : transfers_of(messages, settings_)) {
        made.stream = device_->stream();
        kernels_->transfer(made);
      }
    });
  }

  void one_sided(const OneSided& work) override {
    if (is_network_ && work.mover != OneSided::CopyMethod::kLibrary)
      throw Error(ErrorCode::kInvalidArgument,
                  "this mover needs loads and stores between GPUs; over ibgda take --mover nvshmem");
    guarded([&] { reach_->queue(work); });
  }
  [[nodiscard]] std::string point_of(const OneSided& work) const override {
    return reach_->point_in_words(work);
  }

  void synchronize() override {
    wait_for_stream([] {});
  }

  [[nodiscard]] std::string algorithm_of(const Operation& operation) const override {
    const LaunchPlan* plan = known(operation);
    return plan == nullptr ? "" : std::string(kAlgorithms[plan->algorithm]);
  }
  [[nodiscard]] std::string protocol_of(const Operation& operation) const override {
    const LaunchPlan* plan = known(operation);
    return plan == nullptr ? "" : format_shape(*plan);
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const override {
    if (is_network_) return {{"IBGDA/NVSHMEM", static_cast<std::uint64_t>(ranks_ - 1)}};
    return {{"P2P/NVSHMEM", static_cast<std::uint64_t>(kernels_->reached())}};
  }
  [[nodiscard]] TransportCounters counters() const override {
    return card_ ? card_->counters() : TransportCounters{};
  }

 private:
  static constexpr std::size_t kScratchBytes = 4096;

  [[nodiscard]] const LaunchPlan* known(const Operation& operation) const {
    for (const auto& [one, plan] : plans_)
      if (one == operation) return &plan;
    return nullptr;
  }

  /// Returns the number of bytes by which launch shapes are chosen: the vector for allreduce and broadcast,
  /// one rank's part for all others.
  [[nodiscard]] static std::size_t bytes_of(const Operation& operation) {
    return operation.count * size_of(operation.dtype);
  }

  /// Returns algorithm and launch shape for a call. They are tuned when the operation is queued for the first
  /// time. All ranks do that at the same point, in its warm-up.
  LaunchPlan plan_for(const CollectiveCall& call) {
    if (const LaunchPlan* plan = known(call.operation)) return *plan;
    const std::size_t bytes = bytes_of(call.operation);
    LaunchPlan plan = usual_plan(call.operation, bytes, ranks_, settings_);
    if (is_network_ && plan.algorithm != kCollbenchNvshmemVendor)
      throw Error(ErrorCode::kInvalidArgument, "NVSHMEM does not offer this in place; leave --in-place out");
    if (settings_.tune && tools_.timeline != nullptr && bytes > 0) {
      device_->drain();
      const CollectiveCall trial = trial_of(call);
      plan = fastest(candidates(call.operation, bytes, ranks_, settings_), bytes,
                     {*device_, *tools_.timeline, [&](const LaunchPlan& one) { queue(trial, one); },
                      [&](std::vector<float>& values) { min_of_ranks(values); }});
    }
    plans_.emplace_back(call.operation, plan);
    return plan;
  }

  /// Returns the call with which candidates are timed. An in-place reduction changes its own input, so it is
  /// timed on the buffer that the call does not use.
  CollectiveCall trial_of(const CollectiveCall& call) {
    if (!call.operation.in_place || !reduces(call.operation.kind)) return call;
    CollectiveCall trial = call;
    const std::size_t bytes = bytes_of(call.operation) * parts_of(call.operation.kind, ranks_);
    void* const other = buffers_->get(result_in_send(call.operation.kind) ? 1 : 0, bytes);
    trial.send = trial.recv = other;
    return trial;
  }

  void queue(const CollectiveCall& call, const LaunchPlan& plan) {
    if (call.operation.count == 0) return;
    CollbenchNvshmemCall made = call_of(call);
    made.algorithm = plan.algorithm;
    made.point = plan.point;
    made.stream = device_->stream();
    kernels_->launch(made);
  }

  /// Replaces each value by its minimum over all ranks, with an allreduce of this engine. Values after the
  /// first kScratchBytes stay unchanged.
  void min_of_ranks(std::vector<float>& values) {
    const cuda::DriverApi& driver = device_->driver();
    const std::size_t bytes = std::min(values.size() * sizeof(float), kScratchBytes);
    const auto at = reinterpret_cast<std::uint64_t>(scratch_);
    driver.check(driver.copy_to_device(at, values.data(), bytes, device_->stream()), "cuMemcpyHtoDAsync");
    CollbenchNvshmemCall call{};
    call.collective = kCollbenchNvshmemAllreduce;
    call.algorithm = kCollbenchNvshmemOneShot;
    call.type = kCollbenchNvshmemFloat32;
    call.op = kCollbenchNvshmemMin;
    call.element_bytes = sizeof(float);
    call.count = bytes / sizeof(float);
    call.send = call.recv = scratch_;
    call.stream = device_->stream();
    call.point = {1, 256, kMaxPacket};
    kernels_->launch(call);
    driver.check(driver.copy_to_host(values.data(), at, bytes, device_->stream()), "cuMemcpyDtoHAsync");
    device_->drain();
  }

  void describe(const NvshmemToolchainSearch& tools, bool on_software) {
    properties_.detail.library = "NVSHMEM " + kernels_->version();
    properties_.detail.library_transport = is_network_ ? kNetwork : "p2p";
    if (on_software) describe_software_card();
    describe_gpu();
    facts_["nvshmem.path"] = tools.found.library;
    facts_["nvshmem.version"] = kernels_->version();
    facts_["nvshmem.initNs"] = std::to_string(kernels_->init_ns());
    facts_["nvcc.path"] = tools.found.nvcc;
  }

  const bool is_network_;
  const NvshmemSettings settings_;
  std::vector<std::pair<Operation, LaunchPlan>> plans_;
  // Members are destroyed from the bottom up: what lies in NVSHMEM's memory before NVSHMEM.
  std::optional<NvshmemKernels> kernels_;
  std::optional<NvshmemBuffers> buffers_;
  std::optional<OneSidedLauncher> reach_;
  std::optional<cuda::Graphs<CallBatch>> graphs_;
  void* scratch_ = nullptr;  // Memory of the tuner.
};

Abilities abilities() {
  return {{Ability::kCollectives,
           {{"collective", names_of(offered_kinds())}, {"dtype", offered_types()}, {"op", offered_ops()}}},
          {Ability::kMessages, {{"path", {"stream", "host"}}}},
          {Ability::kComputations, {}},
          {Ability::kOneSided, {}}};
}

/// Returns settings for the nccl engine if the user requests one of NCCL's algorithms ("nccl", "nccl-ring",
/// "nccl-symmetric"); otherwise nullopt. With these names, NCCL and NVSHMEM are compared in one run.
std::optional<EngineSettings> of_nccl(const EngineSettings& settings) {
  const auto algorithm = settings.find("algo");
  if (algorithm == settings.end() || !algorithm->second.starts_with("nccl")) return std::nullopt;
  EngineSettings its;
  for (const char* word : {"nccl", "gpus", "cache", "graph", "hostCheck"})
    if (const auto found = settings.find(word); found != settings.end()) its.insert(*found);
  if (algorithm->second == "nccl-ring") its["algo"] = "Ring";
  if (algorithm->second == "nccl-symmetric") its["register"] = "symmetric";
  return its;
}

/// Creates the engine on one rank. @throws errors of settings, libraries, compiler, device or NVSHMEM
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  if (const auto its = of_nccl(options.settings)) {
    EngineOptions other = options;
    other.settings = *its;
    return find_engine(engines(), "nccl")->create(bootstrap, other);
  }
  return std::make_unique<NvshmemEngine>(bootstrap, options, parse_settings(options.settings));
}

}  // namespace
}  // namespace collbench::nvshmem

namespace collbench {
EngineEntry nvshmem_engine() {
  return {"nvshmem", nvshmem::create, nvshmem::abilities, nvshmem::probe, true, {}, nvshmem::environment_of};
}
}  // namespace collbench
