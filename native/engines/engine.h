#pragma once
// An engine moves the data or computes; there is one object per rank, and its factory makes the connections.
// An engine overrides the functions of its abilities (EngineEntry::abilities); all others throw.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "collectives/pattern.h"
#include "concurrent_load/load_task.h"
#include "core/computation.h"
#include "engines/ability.h"
#include "engines/device_port.h"
#include "engines/one_sided.h"
#include "engines/training.h"
#include "measure/shared_state.h"
#include "measure/timeline.h"
#include "transports/puts.h"
#include "transports/registry.h"
#include "transports/transport.h"

namespace collbench {

/// Exchanges data among ranks before the engine has connections. Implementations use a pipe to the agent
/// (processes) or a shared object (threads in a test or in Node). Calls block. They throw Error on a deadline
/// or if another rank has failed.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Gathers a blob from every rank; returns all of them, by rank. All ranks call it in the same order; `key`
  /// names the exchange in errors.
  virtual std::vector<std::string> all_gather(std::string_view key, const std::string& mine) = 0;
};

/// One collective call on raw memory. In-place calls lay out send and recv in one region as NCCL does.
struct CollectiveCall {
  Operation operation;
  const void* send = nullptr;
  void* recv = nullptr;
};

/// One message between two ranks, in memory from Engine::buffer().
struct PeerMessage {
  enum class Direction : std::uint8_t { kSend, kReceive };
  Direction direction = Direction::kSend;
  int peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  /// Sends, if Engine::equal_buffers(): destination at the peer, as an address of this rank's receive buffer.
  std::byte* landing = nullptr;
};

/// Settings of an engine by name (engines/nccl/settings.h), as the controller sent them.
using EngineSettings = std::map<std::string, std::string>;

struct EngineOptions {
  std::string transport = "socket";
  TransportOptions transport_options;
  /// Name of the algorithm; "" = settings["algo"], or chosen per size. See engines/cpu/algorithms for the cpu
  /// engine.
  std::string algorithm;
  EngineSettings settings;
  int local_rank = 0;  // Index among the ranks of this machine.
  int local_ranks = 1;
  /// Empty polls before a waiting rank yields its core (Spinner); absent = derived from the number of ranks.
  std::optional<std::uint32_t> spins;
  /// File that the engine's libraries log into, read by whoever opened it; -1 = the engine's own memory.
  int log_fd = -1;
  /// Called with the worker process of the engine, and whether it has joined the others. May be empty.
  std::function<void(int pid, Rendezvous rendezvous)> note_worker;
  std::function<bool()> cancelled;  // Polled inside waits; true throws Error(kCancelled). May be empty.
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Returns memory for a call's buffers, page aligned and registered with the transport. It grows and never
  /// shrinks below `bytes`. Contents are undefined.
  /// @throws Error(kInternal) if out of memory, naming the bytes
  virtual void* buffer(int index /* 0 send, 1 receive */, std::size_t bytes);
  /// Smallest buffer length, in bytes. Successive calls move through the buffers, so that small operations
  /// find cold caches. 0 = every call uses the same position.
  [[nodiscard]] virtual std::size_t rotation_bytes() const { return 0; }
  /// Returns true if all ranks must take buffers of equal length (symmetric memory).
  [[nodiscard]] virtual bool equal_buffers() const { return false; }
  /// Elements by which calls are deliberately misaligned.
  [[nodiscard]] virtual std::size_t misalign_elements() const { return 0; }
  /// Returns true if enqueue_all records a batch once and replays it; then every batch must use the same
  /// positions.
  [[nodiscard]] virtual bool replays_batches() const { return false; }
  /// Frees the pages of large buffers while another launch measures; contents are lost.
  virtual void release_buffers() {}
  /// Fills the input and poisons the output of one call (collectives/pattern.h); complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const CollectiveCall& call);
  /// Compares the receive buffer with the call's expected output.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const CollectiveCall& call);
  /// Starts the operation in stream order (cpu: runs it to its end).
  virtual void enqueue(const CollectiveCall& call);
  /// Starts several operations in order; an engine may launch them as one (CUDA graph, aggregation).
  virtual void enqueue_all(std::span<const CollectiveCall> calls);
  /// Connects all ranks; all ranks call it together. Needed before the first transfer() between ranks that
  /// are not neighbours in the ring.
  /// @throws Error(kInvalidArgument) if so many ranks cannot be connected
  virtual void connect_all() {}
  /// Starts all these sends and receives at the same time, in stream order (cpu: runs them to their end).
  /// Messages between two ranks match in their order, separately for each direction.
  virtual void transfer(std::span<const PeerMessage> messages);
  /// Starts one launch of operations on a peer's memory, in stream order.
  virtual void one_sided(const OneSided& work);
  /// Returns the launch shape that the engine chose for this work: "128x512". "" = it has no choice.
  [[nodiscard]] virtual std::string point_of(const OneSided& /*work*/) const { return {}; }
  /// Returns true if a transfer must match exactly one transfer of the peer. A message that waits for another
  /// of its transfers then needs a transfer of its own.
  [[nodiscard]] virtual bool pairs_transfers() const { return false; }
  /// Starts a computation on memory from buffer(), in stream order (cpu: runs it to its end).
  /// @param arguments are copied
  /// @param threads of the kernel, which ignores threads beyond its work
  virtual void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  /// Copy between host memory and memory from buffer(); complete when they return.
  virtual void upload(void* to, const void* from, std::size_t bytes);
  virtual void download(void* to, const void* from, std::size_t bytes);
  /// Prepares the job, or returns to it if it was prepared before. All ranks call it together.
  virtual std::unique_ptr<Training> train(const TrainingJob& job);
  /// Creates the same engine for some of its ranks, with its own connections and buffers; its traffic also
  /// counts here. This engine must outlive it. All ranks of the group call it together.
  /// @param group bootstrap of the group's ranks
  virtual std::unique_ptr<Engine> for_group(Bootstrap& group);
  /// Returns the port for queues that a workload writes and rings itself (transports/puts.h).
  /// @throws Error(kInvalidArgument) if the transport has none
  virtual PutPort& put_port();
  /// Returns the address of `at` (in memory from buffer()) on every rank, as kernels load and store it, by
  /// rank. All ranks call it together, with equal buffers.
  /// @throws Error(kInvalidArgument) if kernels cannot access other ranks
  virtual std::vector<std::byte*> reach(std::byte* at);
  /// Adds to counters() the bytes that such kernels stored on other ranks, and others here, each in
  /// `messages` messages.
  virtual void count_stores(std::size_t sent, std::size_t received, std::size_t messages);
  /// Returns the device port, or null. Not null means that kernels and the stream can write and ring queues
  /// by themselves.
  virtual DevicePort* device_port() { return nullptr; }
  /// Empty polls before a waiting thread yields its core (Spinner), if each rank has `threads` threads.
  [[nodiscard]] virtual std::uint32_t spins(int threads) const;
  /// Cancellation check for a workload's own waits. @throws Error(kCancelled) if the launch is to end
  virtual void stop_if_cancelled() const {}
  /// Returns when all enqueued operations are complete on this rank.
  virtual void synchronize() {}
  /// Returns the device timeline, or null. Not null means that enqueue only queues, synchronize waits, and
  /// isolated trials are timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// Returns the algorithm that `enqueue` uses for this operation: "ring", "direct"; "" = not known.
  [[nodiscard]] virtual std::string algorithm_of(const Operation& /*operation*/) const { return {}; }
  /// Returns the protocol that the engine uses ("LL", "Simple"); "" = it has none, or not known.
  [[nodiscard]] virtual std::string protocol_of(const Operation& /*operation*/) const { return {}; }
  /// Returns the number of connections that this rank has made so far, by path: {"P2P/CUMEM": 24,
  /// "NET/Socket": 4}.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> paths() const { return {}; }
  /// Returns facts to record about this rank's launch: versions, device, environment, init time. Names are
  /// listed in engines/nccl/README.md.
  [[nodiscard]] virtual std::map<std::string, std::string> facts() const { return {}; }
  [[nodiscard]] virtual DeviceProperties device() const = 0;
  [[nodiscard]] virtual TransportCounters counters() const { return {}; }
  /// Returns true if counters() are the kernel's counts for this rank's TCP connections only.
  [[nodiscard]] virtual bool counts_sockets() const { return false; }
};

/// Name of the setting with the number of channels: threads of each rank that move parts of its vectors.
inline constexpr const char* kChannelsSetting = "channels";

struct EngineEntry {
  std::string_view name;
  std::unique_ptr<Engine> (*create)(Bootstrap& bootstrap, const EngineOptions& options);
  Abilities (*abilities)();
  /// Checks whether the engine can run over this transport here, with these settings. Null = the transport
  /// alone decides (transports/registry.h). Never throws; may open libraries, starts nothing.
  Availability (*probe)(const std::string& transport, const TransportOptions& options,
                        const EngineSettings& settings) = nullptr;
  /// True if other threads than the rank's move its bytes (proxies, driver threads). Bound to one core, they
  /// would take turns with the rank.
  bool has_threads = false;
  /// Kinds of concurrent load that can run with the engine.
  std::span<const concurrent_load::LoadKind> loads = {};
  /// Returns variables that rank processes need in their environment at their start (LD_PRELOAD). Null =
  /// none.
  std::map<std::string, std::string> (*environment)(const std::string& transport,
                                                    const TransportOptions& options) = nullptr;
};
/// Returns the engines. CMake finds every folder here with an engine.cc (cmake/rows.cmake); tests bring their
/// own.
std::span<const EngineEntry> engines();
/// Returns nullptr if there is no engine of that name.
const EngineEntry* find_engine(std::span<const EngineEntry> engines, std::string_view name) noexcept;

}  // namespace collbench
