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

/// Exchanges data among ranks before the engine has connections of its own. The ranks are processes (data
/// pass through a pipe to the agent) or threads (data pass through a shared object). Calls wait for the other
/// ranks. They throw Error if a deadline expires or another rank has failed.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Sends `mine` to all ranks and returns the texts of all ranks, by rank. All ranks must make the same
  /// calls in the same order; `key` names the exchange in error messages.
  virtual std::vector<std::string> all_gather(std::string_view key, const std::string& mine) = 0;
};

/// One collective call with the addresses of its buffers. For an in-place call, send and recv are parts of
/// one region, arranged as NCCL requires.
struct CollectiveCall {
  Operation operation;
  const void* send = nullptr;
  void* recv = nullptr;
  bool operator==(const CollectiveCall&) const = default;
};

/// One message that this rank sends to or receives from another rank; its data are in memory from
/// Engine::buffer().
struct PeerMessage {
  enum class Direction : std::uint8_t { kSend, kReceive };
  Direction direction = Direction::kSend;
  int peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  /// Destination at the peer, for sends of an engine with equal_buffers() only. It is given as the
  /// corresponding address in this rank's own receive buffer.
  std::byte* landing = nullptr;
  /// Receives of an engine without device (Engine::on_device): gets the time at which all bytes were here, in
  /// ns of CLOCK_MONOTONIC. Null = not wanted.
  std::int64_t* arrived_ns = nullptr;
};

/// Settings of an engine by name, as the controller sent them. If an engine has a settings.h, that lists its
/// names.
using EngineSettings = std::map<std::string, std::string>;

struct EngineOptions {
  std::string transport = "socket";
  TransportOptions transport_options;
  /// Name of the requested algorithm. "" = the one in settings["algo"]; if that is absent, the engine chooses
  /// one per size.
  std::string algorithm;
  EngineSettings settings;
  int local_rank = 0;  // Index among the ranks of this machine.
  int local_ranks = 1;
  /// Polls before a waiting rank yields its core (budget of Spinner); absent = derived from the number of
  /// ranks.
  std::optional<std::uint32_t> spins;
  /// File descriptor into which the engine's libraries write their log. Whoever opened it reads the log from
  /// it. -1 = the engine creates a log file in memory.
  int log_fd = -1;
  /// Called when the state of the engine's worker process changes, with its process id and whether it has
  /// connected to the other workers. May be empty.
  std::function<void(int pid, Rendezvous rendezvous)> note_worker;
  std::function<bool()> cancelled;  // Polled inside waits; true throws Error(kCancelled). May be empty.
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Returns memory for a call's buffers, page aligned and registered with the transport. If the buffer is
  /// shorter than `bytes`, it is replaced by a longer one, whose contents are undefined.
  /// @throws Error, for host memory kNoMemory, if there is not enough memory; the message has the number of
  /// bytes
  virtual void* buffer(int index /* 0 send, 1 receive */, std::size_t bytes);
  /// Returns true if memory from buffer() is on a device, so that the host accesses it only by upload() and
  /// download(), and operations are complete only after synchronize().
  [[nodiscard]] virtual bool on_device() const { return false; }
  /// Minimum length of a buffer in bytes. Successive calls use successive positions in the buffer, so that
  /// small operations find cold caches. 0 = every call uses the same position.
  [[nodiscard]] virtual std::size_t rotation_bytes() const { return 0; }
  /// Returns true if the engine needs buffers of the same length on all ranks (symmetric memory).
  [[nodiscard]] virtual bool equal_buffers() const { return false; }
  /// Returns the number of elements by which buffers of calls are moved off their alignment on purpose; 0 =
  /// aligned.
  [[nodiscard]] virtual std::size_t misalign_elements() const { return 0; }
  /// Returns true if enqueue_all() records the first batch and replays it for every later one. Every batch
  /// must then use the same addresses.
  [[nodiscard]] virtual bool replays_batches() const { return false; }
  /// Called after a measurement if the buffers are so large that only one launch (one start of all rank
  /// processes) can hold them at a time: frees their memory pages, so their contents are lost.
  virtual void release_buffers() {}
  /// Writes the input of one call (a pattern of rank and iteration, collectives/pattern.h) and fills its
  /// output with values that no result has. Both are complete when the function returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const CollectiveCall& call);
  /// Compares the receive buffer of one call with the expected output, computed from the same pattern.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const CollectiveCall& call);
  /// Queues the operation on the engine's stream. Engines on host memory (cpu, mpi) have no stream and run
  /// the operation to its end.
  virtual void enqueue(const CollectiveCall& call);
  /// Queues several operations in order. An engine may launch them as one (CUDA graph, NCCL group).
  virtual void enqueue_all(std::span<const CollectiveCall> calls);
  /// Connects every rank to every other; all ranks must call it together. Must be called before the first
  /// transfer() between ranks that are not neighbours in the ring.
  /// @throws Error(kInvalidArgument) if so many ranks cannot be connected
  virtual void connect_all() {}
  /// Queues all these sends and receives, which then run at the same time. Engines on host memory (cpu, mpi)
  /// have no stream and run them to their end. Between two ranks, the n-th send matches the n-th receive.
  virtual void transfer(std::span<const PeerMessage> messages);
  /// Queues the one-sided operations that `work` describes: this rank's device puts, gets, stores, loads or
  /// adds on a peer's memory, or sends signals to the peer or waits for them.
  virtual void one_sided(const OneSided& work);
  /// Returns the launch shape (blocks x threads) that the engine chose for this work: "128x512"; "" if there
  /// is no choice.
  [[nodiscard]] virtual std::string point_of(const OneSided& /*work*/) const { return {}; }
  /// Returns true if each transfer() of this rank must match exactly one transfer() of the peer. A message
  /// that cannot start before another message then needs a separate transfer() at both ends.
  [[nodiscard]] virtual bool pairs_transfers() const { return false; }
  /// Queues a computation on memory from buffer(). Engines on host memory (cpu, mpi) have no stream and run
  /// it to its end.
  /// @param arguments copied by the call
  /// @param threads number of threads of the kernel; threads that are more than the work needs do nothing
  virtual void launch(const Computation& computation, const void* arguments, std::uint64_t threads);
  /// upload() copies host memory into memory from buffer(), download() the opposite way. Both are complete
  /// when they return.
  virtual void upload(void* to, const void* from, std::size_t bytes);
  virtual void download(void* to, const void* from, std::size_t bytes);
  /// Prepares a training job on this rank. If the same job was prepared earlier, it is used again. All ranks
  /// must call it together.
  virtual std::unique_ptr<Training> train(const TrainingJob& job);
  /// Creates an engine of the same kind for a subset of the ranks, with its own connections and buffers. Its
  /// traffic also counts in this engine's counters(). This engine must exist longer. All ranks of the subset
  /// must call it together.
  /// @param group bootstrap of the subset
  virtual std::unique_ptr<Engine> for_group(Bootstrap& group);
  /// Returns the interface with which a workload writes RDMA work queue entries and rings doorbells itself,
  /// without the engine.
  /// @throws Error(kInvalidArgument) if the transport has none
  virtual PutPort& put_port();
  /// Returns, for each rank, the address at which this rank's kernels access the memory of that rank that
  /// corresponds to `at`. `at` is in memory from buffer(). All ranks must call it together, with equal
  /// buffers.
  /// @throws Error(kInvalidArgument) if kernels cannot access other ranks
  virtual std::vector<std::byte*> reach(std::byte* at);
  /// Adds traffic of a workload's own kernels to counters(): `sent` bytes stored on other ranks and
  /// `received` bytes stored here by others, with `messages` messages each way.
  virtual void count_stores(std::size_t sent, std::size_t received, std::size_t messages);
  /// Returns the functions with which the device communicates by itself: host memory shared with kernels, and
  /// stores and waits in stream order. Null if the engine has no such device.
  virtual DevicePort* device_port() { return nullptr; }
  /// Returns the number of polls before a waiting thread yields its core (budget of Spinner) if each rank has
  /// `threads` threads.
  [[nodiscard]] virtual std::uint32_t spins(int threads) const;
  /// Called again and again by loops in which a workload waits.
  /// @throws Error(kCancelled) if the measurement was cancelled
  virtual void stop_if_cancelled() const {}
  /// Returns when all enqueued operations are complete on this rank.
  virtual void synchronize() {}
  /// Returns the device's timeline; null = samples are timed with the host's clock, for example because
  /// operations run in the host's calls. If it is not null, enqueue() only queues, synchronize() waits, and
  /// isolated trials are timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// Returns the algorithm that enqueue() uses for this operation, such as "ring"; "" if not known.
  [[nodiscard]] virtual std::string algorithm_of(const Operation& /*operation*/) const { return {}; }
  /// Returns the protocol that enqueue() uses for this operation, such as "LL"; "" if the engine has none or
  /// it is not known.
  [[nodiscard]] virtual std::string protocol_of(const Operation& /*operation*/) const { return {}; }
  /// Returns how many connections this rank has made so far, by path: {"P2P/CUMEM": 24, "NET/Socket": 4}.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> paths() const { return {}; }
  /// Returns facts about this rank for the results, by name: "nccl.version", "gpu" (its name), "env.NAME"
  /// (environment variables), "nccl.initNs" and others.
  [[nodiscard]] virtual std::map<std::string, std::string> facts() const { return {}; }
  [[nodiscard]] virtual DeviceProperties device() const = 0;
  [[nodiscard]] virtual TransportCounters counters() const { return {}; }
  /// Returns true if counters() come from the kernel and count only this rank's TCP connections.
  [[nodiscard]] virtual bool counts_sockets() const { return false; }
};

/// Name of the setting for the number of channels. A channel is a thread of a rank that moves a part of the
/// vector.
inline constexpr const char* kChannelsSetting = "channels";

struct EngineEntry {
  std::string_view name;
  std::unique_ptr<Engine> (*create)(Bootstrap& bootstrap, const EngineOptions& options);
  Abilities (*abilities)();
  /// Checks whether the engine can run over this transport on this machine with these settings. Null = only
  /// the transport decides (transports/registry.h). May open libraries but starts nothing; never throws.
  Availability (*probe)(const std::string& transport, const TransportOptions& options,
                        const EngineSettings& settings) = nullptr;
  /// True if threads other than the rank's own move its data (NCCL proxies, driver threads). If all were
  /// bound to one core, these threads and the rank would slow each other down.
  bool has_threads = false;
  /// Kinds of concurrent load (computations during a collective) that can run with the engine.
  std::span<const concurrent_load::LoadKind> loads = {};
  /// Returns environment variables with which rank processes must be started (such as LD_PRELOAD). Null =
  /// none.
  std::map<std::string, std::string> (*environment)(const std::string& transport,
                                                    const TransportOptions& options) = nullptr;
};
/// Returns all engines. CMake finds them: every folder of native/engines with an engine.cc
/// (cmake/rows.cmake). Tests pass their own list.
std::span<const EngineEntry> engines();
/// Returns the entry of `engines` with this name; null if there is none.
const EngineEntry* find_engine(std::span<const EngineEntry> engines, std::string_view name) noexcept;

}  // namespace collbench
