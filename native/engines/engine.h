#pragma once
// An engine is who moves the bytes, or computes. One object per rank; connections are made in its factory. It
// overrides the primitives that it has (EngineEntry::abilities) and no others: those that it lacks refuse.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "beside/work.h"
#include "collectives/collective.h"
#include "collectives/pattern.h"
#include "core/computation.h"
#include "engines/ability.h"
#include "engines/device_port.h"
#include "engines/one_sided.h"
#include "engines/training.h"
#include "measure/board.h"
#include "measure/timeline.h"
#include "transports/puts.h"
#include "transports/registry.h"
#include "transports/transport.h"

namespace collbench {

/// How ranks find each other before there is a data path. Implementations: pipe to the agent (processes),
/// shared object (threads in a test or in Node). Blocking, throws Error on deadline or when another rank has
/// failed.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Everybody gives a blob and gets all of them, by rank. `key` names the exchange in errors; called in
  /// equal order.
  virtual std::vector<std::string> all_gather(std::string_view key, const std::string& mine) = 0;
};

/// One collective call on raw memory. send == recv region for in-place calls as NCCL lays it out.
struct Call {
  Operation operation;
  const void* send = nullptr;
  void* recv = nullptr;
};

/// One message between two ranks, in memory from Engine::buffer().
struct Message {
  enum class Way : std::uint8_t { kSend, kReceive };
  Way way = Way::kSend;
  int peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  /// Sent, and Engine::equal_buffers(): where it lands at the peer, as an address of this rank's receive
  /// buffer.
  std::byte* landing = nullptr;
};

/// Words of the engine's own (engines/nccl/settings.h), as the controller gave them.
using Settings = std::map<std::string, std::string>;

struct EngineOptions {
  std::string transport = "socket";
  TransportOptions transport_options;
  std::string algorithm;  // "" = settings["algo"], or chosen per size; cpu: see engines/cpu/algorithms
  Settings settings;
  int local_rank = 0;  // place among the ranks of this machine
  int local_ranks = 1;
  /// Empty polls before a waiting rank gives its core away (Spinner); absent = judged by the number of ranks.
  std::optional<std::uint32_t> spins;
  /// Open file that libraries of the engine log into, read by whoever opened it; -1 = the engine's own
  /// memory.
  int log_fd = -1;
  /// Told of the process in which the engine works, and whether it has met the others. May be empty
  std::function<void(int pid, Rendezvous rendezvous)> note_worker;
  std::function<bool()> cancelled;  // polled inside waits; true throws Error(kCancelled). May be empty
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Memory for a call's buffers, page aligned, known to the transport (registered once); grows, never
  /// shrinks below `bytes`. Contents undefined. @throws Error(kInternal) when out of memory, naming the
  /// bytes.
  virtual void* buffer(int index /* 0 send, 1 receive */, std::size_t bytes);
  /// Buffers are at least this long and calls move on through them, so that small operations find cold caches
  /// whatever sizes the sweep has. 0 = every call uses the same place.
  [[nodiscard]] virtual std::size_t rotation_bytes() const { return 0; }
  /// All ranks must take buffers of equal length (symmetric memory).
  [[nodiscard]] virtual bool equal_buffers() const { return false; }
  /// Elements by which calls start off the buffers' alignment, on purpose.
  [[nodiscard]] virtual std::size_t misalign_elements() const { return 0; }
  /// enqueue_all records a batch once and replays it, which wants every batch in the same places.
  [[nodiscard]] virtual bool replays_batches() const { return false; }
  /// Gives pages of large buffers back to the machine while another launch measures; contents are lost.
  virtual void release_buffers() {}
  /// Fills input and poisons output of one call (collectives/pattern.h); complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const Call& call);
  /// Compares what the call must have left in its receive buffer.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const Call& call);
  /// Starts the operation in stream order (cpu: runs it to its end).
  virtual void enqueue(const Call& call);
  /// Starts several, in order; an engine may launch them as one (CUDA graph, aggregation).
  virtual void enqueue_all(std::span<const Call> calls);
  /// Before the first transfer() between ranks that are not neighbours in the ring; all ranks call it
  /// together.
  /// @throws Error(kInvalidArgument) where so many ranks cannot be connected
  virtual void connect_all() {}
  /// Starts to send and receive all of these at the same time, in stream order (cpu: runs it to its end).
  /// Messages between two ranks meet in the order in which they stand, each way for itself.
  virtual void transfer(std::span<const Message> messages);
  /// Starts one launch of operations in the memory of a peer, in stream order.
  virtual void one_sided(const OneSided& work);
  /// What it chose for them: "128x512". "" = it has nothing to choose.
  [[nodiscard]] virtual std::string point_of(const OneSided& /*work*/) const { return {}; }
  /// A transfer must meet one transfer of the peer: what waits for another of its transfers stands alone.
  [[nodiscard]] virtual bool pairs_transfers() const { return false; }
  /// Starts a computation on memory from buffer(), in stream order (cpu: runs it to its end).
  /// @param arguments copied; @param threads of the kernel, which leaves out those beyond its work
  virtual void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  /// Between host memory and memory from buffer(); complete when they return.
  virtual void upload(void* to, const void* from, std::size_t bytes);
  virtual void download(void* to, const void* from, std::size_t bytes);
  /// Builds the job, or takes it up again where it was built before. All ranks call it together.
  virtual std::unique_ptr<Training> train(const TrainingJob& job);
  /// The same engine for some of its ranks, with connections and buffers of its own; what it moves counts
  /// here, too. This one outlives it. All ranks of the group call it together. @param group their bootstrap
  virtual std::unique_ptr<Engine> for_group(Bootstrap& group);
  /// Queues that a workload writes and rings itself (transports/puts.h).
  /// @throws Error(kInvalidArgument) where the transport has none
  virtual PutPort& put_port();
  /// Where kernels (launch) load and store: `at`, which lies in memory from buffer(), on all ranks, by rank.
  /// All of them call it together, with equal buffers. @throws Error(kInvalidArgument) where no way leads
  /// there
  virtual std::vector<std::byte*> reach(std::byte* at);
  /// For counters(): bytes that such kernels stored there, and those of the others here, in so many messages
  /// each.
  virtual void count_stores(std::size_t sent, std::size_t received, std::size_t messages);
  /// Not null: kernels (launch) and the stream can write and ring these queues by themselves.
  virtual DevicePort* device_port() { return nullptr; }
  /// Empty polls of a waiting thread before it gives its core away (Spinner), where each rank has so many
  /// threads.
  [[nodiscard]] virtual std::uint32_t spins(int threads) const;
  /// For waits of a workload's own. @throws Error(kCancelled) when the launch is to end
  virtual void stop_if_cancelled() const {}
  /// Returns when all enqueued operations are complete on this rank.
  virtual void synchronize() {}
  /// Not null: enqueue only queues, synchronize waits, and isolated trials are timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// Algorithm that `enqueue` takes for this operation: "ring", "direct"; "" = not known.
  [[nodiscard]] virtual std::string algorithm_of(const Operation& /*operation*/) const { return {}; }
  /// Protocol that the engine took ("LL", "Simple"); "" = it has none, or not known.
  [[nodiscard]] virtual std::string protocol_of(const Operation& /*operation*/) const { return {}; }
  /// Connections that this rank has made so far, by the way they go: {"P2P/CUMEM": 24, "NET/Socket": 4}.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> paths() const { return {}; }
  /// What is worth recording of this rank's launch: versions, device, environment set, init time. Names as
  /// in engines/nccl/README.md.
  [[nodiscard]] virtual std::map<std::string, std::string> facts() const { return {}; }
  [[nodiscard]] virtual DeviceProperties device() const = 0;
  [[nodiscard]] virtual TransportCounters counters() const { return {}; }
  /// counters() are what the kernel counted on the TCP connections of this rank alone.
  [[nodiscard]] virtual bool counts_sockets() const { return false; }
};

/// Word of the settings: threads of each rank that move parts of its vectors.
inline constexpr const char* kChannelsSetting = "channels";

struct EngineEntry {
  std::string_view name;
  std::unique_ptr<Engine> (*create)(Bootstrap& bootstrap, const EngineOptions& options);
  Abilities (*abilities)();
  /// Can it run over this transport here, with these settings? Null: the transport alone decides
  /// (transports/registry.h). Never throws; may open libraries, starts nothing.
  Availability (*probe)(const std::string& transport, const TransportOptions& options,
                        const Settings& settings) = nullptr;
  /// Threads beside the rank's move its bytes (proxies, those of a driver): bound to one core, all would take
  /// turns on it.
  bool has_threads = false;
  /// What can work beside its operations.
  std::span<const beside::Kind> loads = {};
  /// What rank processes need in their environment before they start (LD_PRELOAD); null: nothing.
  std::map<std::string, std::string> (*environment)(const std::string& transport,
                                                    const TransportOptions& options) = nullptr;
};
/// Every folder here with an engine.cc, as CMake finds them (cmake/rows.cmake); tests bring their own.
std::span<const EngineEntry> engines();
/// nullptr when there is none of that name.
const EngineEntry* find_engine(std::span<const EngineEntry> engines, std::string_view name) noexcept;

}  // namespace collbench
