// Engine of our own kernels that communicate by themselves, with one GPU per rank (README.md).
#include "engines/cpu/engine.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/spin.h"
#include "cuda/concurrent_load/kinds.h"
#include "engines/cuda/direct.h"
#include "engines/cuda/ports.h"
#include "engines/cuda/probe.h"
#include "engines/cuda/settings.h"
#include "engines/gpu/gpu_engine.h"

namespace collbench::gpu {
namespace {

constexpr int kFewCores = 4;

/// Returns the transport over which the ranks' host threads exchange messages. For ibgda it is that of the
/// adapter whose queues the GPU uses.
std::unique_ptr<Transport> transport_of(const EngineOptions& options, int rank, int ranks) {
  if (!has_transport(options.transport))
    throw Error(ErrorCode::kInvalidArgument,
                "the cuda engine has no transport \"" + options.transport + "\"; it has p2p and ibgda");
  TransportOptions its = options.transport_options;
  its.rank = rank;
  its.ranks = ranks;
  its.doorbells = DoorbellSide::kGpuKernels;
  return find_transport(options.transport == "p2p" ? "socket" : options.transport)->create(its);
}

cpu::Tuning host_tuning(const EngineOptions& options, int ranks) {
  cpu::Tuning tuning;
  tuning.spins = std::min(tuning.spins, options.spins.value_or(spins_for(ranks)));
  tuning.local_ranks = options.local_ranks;
  return tuning;
}

class CudaEngine final : public GpuEngine {
 public:
  CudaEngine(Bootstrap& bootstrap, const EngineOptions& options, const CudaSettings& settings)
      : GpuEngine(bootstrap, options), spins_(host_tuning(options, ranks_).spins) {
    open_gpu(options, settings.gpus, settings.share_gpu, settings.host_check);
    host_.emplace(bootstrap, transport_of(options, rank_, ranks_), "", options.cancelled,
                  host_tuning(options, ranks_));
    const bool is_shared = find_sharing(bootstrap, settings.share_gpu);
    const ExchangeBlobs exchange = [this](const std::string& mine) { return exchange_texts(mine); };
    is_p2p_ = options.transport == "p2p";
    if (!is_p2p_ && settings.names_stores())
      throw Error(ErrorCode::kInvalidArgument,
                  "cuda: algo, blocks, threads and packet are of transport p2p, not of " + options.transport);
    if (!is_p2p_) puts_ = make_put_port(*device_, host_->put_port());
    port_ = make_device_port(*device_, is_shared);
    direct_.emplace(*device_, *computations_,
                    is_p2p_ ? make_store_windows(*device_, rank_, exchange)
                            : make_put_windows(*device_, *puts_, rank_, ranks_, exchange),
                    rank_, ranks_, fit_to_gpu(bootstrap, settings));
    helps_card_ = !is_p2p_ && usable_cores() <= kFewCores;
    facts_.merge(measure_launches(*device_));
    describe();
  }

  void* buffer(int index, std::size_t bytes) override {
    return direct_->buffer(static_cast<std::size_t>(index), bytes);
  }
  void release_buffers() override {
    direct_->release();
    host_->release_buffers();
  }
  [[nodiscard]] bool equal_buffers() const override { return true; }
  void enqueue(const CollectiveCall& call) override { direct_->queue(call); }
  void enqueue_all(std::span<const CollectiveCall> calls) override {
    for (const CollectiveCall& call : calls) direct_->queue(call);
  }
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const override {
    return direct_->algorithm_of(operation);
  }
  [[nodiscard]] std::string protocol_of(const Operation& operation) const override {
    return direct_->protocol_of(operation);
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const override {
    if (!is_p2p_) return {};
    return {{"P2P/IPC", static_cast<std::uint64_t>(ranks_ - 1)}};
  }

  /// Sends messages through host memory. They carry only addresses and counts; measured data do not pass
  /// here.
  void transfer(std::span<const PeerMessage> messages) override {
    std::size_t sent = 0, received = 0;
    for (const PeerMessage& message : messages)
      (message.direction == PeerMessage::Direction::kSend ? sent : received) += message.bytes;
    auto* out = static_cast<std::byte*>(host_->buffer(0, std::max<std::size_t>(sent, 1)));
    auto* in = static_cast<std::byte*>(host_->buffer(1, std::max<std::size_t>(received, 1)));
    std::vector<PeerMessage> staged(messages.begin(), messages.end());
    for (PeerMessage& message : staged) {
      std::byte*& at = message.direction == PeerMessage::Direction::kSend ? out : in;
      if (message.direction == PeerMessage::Direction::kSend)
        device_->download(at, message.data, message.bytes);
      message.data = at;
      at += message.bytes;
    }
    host_->transfer(staged);
    for (std::size_t n = 0; n < staged.size(); ++n)
      if (staged[n].direction == PeerMessage::Direction::kReceive)
        device_->upload(messages[n].data, staged[n].data, staged[n].bytes);
  }

  std::vector<std::byte*> reach(std::byte* at) override {
    return is_p2p_ ? direct_->reach(at) : Engine::reach(at);
  }
  void count_stores(std::size_t sent, std::size_t received, std::size_t messages) override {
    stored_.bytes_sent += sent;
    stored_.bytes_received += received;
    stored_.messages_sent += messages;
    stored_.messages_received += messages;
  }
  [[nodiscard]] std::uint32_t spins(int threads) const override { return host_->spins(threads); }
  PutPort& put_port() override { return puts_ != nullptr ? *puts_ : Engine::put_port(); }
  DevicePort* device_port() override { return port_.get(); }
  void stop_if_cancelled() const override { host_->stop_if_cancelled(); }

  void synchronize() override {
    Spinner spinner(spins_);
    for (int polls = 1; !device_->idle(); ++polls) {
      if (polls % kLookEvery == 0) stop_kernels_if_cancelled();
      if (helps_card_) puts_->progress();
      spinner.step();
    }
    direct_->check();
  }

  [[nodiscard]] TransportCounters counters() const override {
    TransportCounters all = direct_->counters();
    const TransportCounters more = is_p2p_ ? stored_ : host_->counters();
    all.bytes_sent += more.bytes_sent;
    all.bytes_received += more.bytes_received;
    all.messages_sent += more.messages_sent;
    all.messages_received += more.messages_received;
    return all;
  }

 private:
  /// Throws if the launch was cancelled, but ends waiting kernels first. Reason: the caller may then free
  /// memory, and freeing waits for kernels.
  void stop_kernels_if_cancelled() {
    try {
      stop_if_cancelled();
    } catch (const Error&) {
      direct_->stop();
      throw;
    }
  }

  /// Allgather of texts over the connections between the ranks' host threads. Texts may have any length, but
  /// it must be equal on all ranks.
  std::vector<std::string> exchange_texts(const std::string& mine) {
    const auto ranks = static_cast<std::size_t>(ranks_), own = static_cast<std::size_t>(rank_);
    const std::size_t bytes = std::max<std::size_t>(mine.size(), 1);
    auto* out = static_cast<std::byte*>(host_->buffer(0, bytes));
    auto* in = static_cast<std::byte*>(host_->buffer(1, bytes * ranks));
    std::memcpy(out, mine.data(), mine.size());
    std::vector<PeerMessage> messages;
    for (std::size_t n = 1; n < ranks; ++n) {
      const std::size_t to = (own + n) % ranks, from = (own + ranks - n) % ranks;
      messages.push_back(
          {PeerMessage::Direction::kReceive, static_cast<int>(from), in + from * bytes, bytes});
      messages.push_back({PeerMessage::Direction::kSend, static_cast<int>(to), out, bytes});
    }
    host_->transfer(messages);
    std::vector<std::string> all;
    for (std::size_t r = 0; r < ranks; ++r)
      all.push_back(r == own ? mine
                             : std::string(reinterpret_cast<const char*>(in + r * bytes), mine.size()));
    return all;
  }

  /// Returns the settings with kernels so small that those of all ranks on one GPU have room at the same
  /// time, which they need if CUDA MPS runs them at once. The limit is the same on all ranks.
  /// @throws Error(kInvalidArgument) if the user asked for more blocks
  CudaSettings fit_to_gpu(Bootstrap& bootstrap, CudaSettings settings) const {
    if (ranks_at_once() > 1) {
      // A multiprocessor has room for a block of any kernel.
      const auto room = static_cast<std::uint32_t>(device_->multiprocessors() / ranks_at_once());
      settings.max_blocks = std::clamp(room, 1U, kMaxStoreBlocks);
      // A stream has up to 1,024 kernels that wait, and a multiprocessor has room for 1,024 threads of any
      // kernel: one thread of each kernel for each multiprocessor.
      settings.max_overlapping_threads = settings.max_blocks;
    }
    for (const std::string& text :
         bootstrap.all_gather("blocks of a kernel", std::to_string(settings.max_blocks)))
      settings.max_blocks = std::min(settings.max_blocks, static_cast<std::uint32_t>(std::stoul(text)));
    if (settings.blocks > settings.max_blocks)
      throw Error(
          ErrorCode::kInvalidArgument,
          "cuda: blocks " + std::to_string(settings.blocks) +
              " is too many: blocks of all ranks on a GPU wait for each other, and with CUDA MPS they "
              "have room at the same time up to " +
              std::to_string(settings.max_blocks) + " for each rank");
    return settings;
  }

  void describe() {
    const DeviceProperties card = host_->device();
    properties_.medium = is_p2p_ ? Medium::kHardware : card.medium;
    if (is_p2p_)
      properties_.detail.local_path = LocalPath::kGpuStores;
    else
      properties_.detail = card.detail;
    describe_gpu();
  }

  const std::uint32_t spins_;
  bool is_p2p_ = false;
  bool helps_card_ = false;   // True for a software adapter, which has no core of its own.
  TransportCounters stored_;  // Bytes stored by kernels of workloads.
  // Members are destroyed from the bottom up: memory that the adapter knows before the adapter.
  std::optional<cpu::CpuEngine> host_;
  std::unique_ptr<PutPort> puts_;
  std::unique_ptr<DevicePort> port_;
  std::optional<KernelCollectives> direct_;
};

Abilities abilities() {
  return {{Ability::kCollectives,
           {{"collective", names_of(direct_kinds())},
            {"dtype", names_of(direct_types())},
            {"op", names_of(direct_ops())}}},
          {Ability::kComputations, {}},
          {Ability::kStores, {{"path", {"kernel", "host"}}}},
          {Ability::kPuts,
           {{"path", {"host", "stream", "proxy", "triggered", "kernel"}},
            {"scope", {"thread", "warp", "block"}}}}};
}

/// Creates the engine on one rank. @throws errors of settings, libraries, device or transport
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return std::make_unique<CudaEngine>(bootstrap, options, parse_settings(options.settings));
}

}  // namespace
}  // namespace collbench::gpu

namespace collbench {
EngineEntry cuda_engine() {
  return {"cuda", gpu::create, gpu::abilities, gpu::probe, true, cuda::load_kinds()};
}
}  // namespace collbench
