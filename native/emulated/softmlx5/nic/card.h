#pragma once
// One adapter per process: its objects and the engine that carries out queue entries. Every function is
// thread-safe. Queue numbers have 24 bits, are never 0, are unique in the process and are not reused soon.
// Addresses are addresses of this process.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulated/softmlx5/nic/memory_table.h"

namespace collbench::softmlx5 {

enum class QueueKind : std::uint8_t { kReliable, kDcInitiator, kDcTarget };
enum class QueueState : std::uint8_t { kReset, kInit, kReadyToReceive, kReadyToSend, kError };

/// Identifies the opened device with which an object was made. An object may use only objects of the same
/// owner.
using Owner = const void*;

struct CompletionQueueSetup {
  std::byte* entries = nullptr;  // 64 bytes each, in host or GPU memory
  unsigned log_entries = 0;
  std::byte* doorbell = nullptr;  // first word: consumer index, 24 bits, big-endian; nullptr = none
  bool collapsed = false;         // true: every completion is written to entry 0
  bool ignore_overrun = false;
  bool on_gpu = false;
  Owner owner = nullptr;
};

struct QueuePairSetup {
  QueueKind kind = QueueKind::kReliable;
  std::uint32_t domain = 0;
  std::byte* send_ring = nullptr;  // blocks of 64 bytes in host or GPU memory; nullptr: the queue cannot send
  unsigned log_blocks = 0;
  std::byte* doorbell = nullptr;       // doorbell record of 8 bytes
  std::byte* uar = nullptr;            // page of the doorbell register; nullptr: only the record is read
  std::uint32_t send_completions = 0;  // numbers of completion queues, 0 = none
  std::uint32_t receive_completions = 0;
  std::uint32_t receives = 0;  // number of a shared receive queue; 0 = own queue, filled by post_receive()
  std::uint32_t user_index = 0;
  std::uint64_t access_key = 0;  // key of a DC target
  bool ring_on_gpu = false;
  Owner owner = nullptr;
};

/// A queue pair's new state and the attributes that the state change sets; an absent one keeps its value.
struct QueuePairChange {
  QueueState state = QueueState::kReset;
  std::optional<std::uint16_t> remote_lid;
  std::optional<std::uint32_t> remote_queue;
  std::optional<unsigned> access;            // bits: kRemoteWrite, kRemoteRead, kRemoteAtomic
  std::optional<unsigned> receiver_retries;  // 7 = retry without limit
};

struct QueuePairFacts {
  QueueState state = QueueState::kReset;
  std::uint16_t remote_lid = 0;
  std::uint32_t remote_queue = 0;
  unsigned access = 0;
};

/// Traffic and error counts of one queue pair since it was created. Bytes are payload only. Packets sent are
/// those of its requests; received packets are counted only for the port, so packets_received stays 0.
struct QueueCounters {
  std::uint64_t requests = 0;  // WQEs carried out, without NOP, WAIT, DUMP
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t packets_sent = 0, packets_received = 0;
  std::uint64_t doorbells = 0;    // doorbells seen; several between two reads count as one
  std::uint64_t errors = 0;       // completions with an error
  std::uint64_t dc_connects = 0;  // times a DC initiator connected to a target other than the previous one
};

/// Traffic counts of the emulated adapter's port since the adapter was created. Bytes are payload only.
struct PortCounters {
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t packets_sent = 0, packets_received = 0;
};

/// Scatter element of a posted receive: address, length and lkey of the memory into which data is written.
struct Scatter {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0, key = 0;
};

/// A posted receive: the memory for one incoming message.
struct Receive {
  std::vector<Scatter> pieces;
  std::uint16_t counter = 0;  // value for the completion's wqe_counter
};

/// The emulated RDMA adapter (ConnectX) of this process.
class Card {
 public:
  /// Returns the adapter of this process, which the first call creates. nullptr if settings are invalid or
  /// the system refuses a resource.
  /// A forked child process gets an adapter of its own.
  /// @param problem may be nullptr; receives the reason in one line if the result is nullptr
  static Card* open(std::string* problem);

  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  /// Returns the adapter's LID, from 1 to 0xBFFF. It is unique among the processes with the same
  /// SOFTMLX5_FABRIC.
  [[nodiscard]] std::uint16_t lid() const noexcept;
  /// Returns the data rate of the link model in Gbit/s; 0 without a model.
  [[nodiscard]] double link_gbitps() const noexcept;
  [[nodiscard]] bool port_is_up() const noexcept;

  std::uint32_t create_domain(Owner owner = nullptr);
  bool destroy_domain(std::uint32_t domain);  // False if something still uses the domain.

  /// Registers memory.
  /// @returns its key, which is both lkey and rkey; 0 for GPU memory that cannot be copied
  std::uint32_t register_memory(const Region& region);
  /// Ends a registration. False if there is no such key.
  bool deregister_memory(std::uint32_t key);

  /// Creates a completion queue.
  /// @returns its number; 0 if the setup is invalid
  std::uint32_t create_completion_queue(const CompletionQueueSetup& setup);
  /// Destroys a completion queue. False if there is none with this number, or if a queue pair still uses it.
  bool destroy_completion_queue(std::uint32_t number);

  /// Creates a shared receive queue.
  /// @returns its number; 0 if there is no such domain
  std::uint32_t create_receive_queue(std::uint32_t domain);
  bool destroy_receive_queue(std::uint32_t number);
  /// Posts a receive to a shared receive queue, or to the receive queue of a queue pair. If the queue pair is
  /// in state Error, the receive completes as flushed at once.
  /// @param number number of that queue or queue pair
  /// @returns false if there is none
  bool post_receive(std::uint32_t number, Receive receive);

  /// Creates a queue pair in state Reset.
  /// @returns its number; 0 if the setup is invalid, or names objects that do not exist or belong to another
  /// owner
  std::uint32_t create_queue_pair(const QueuePairSetup& setup);
  bool destroy_queue_pair(std::uint32_t number);
  /// Changes the state of a queue pair. False if there is no such queue pair, or if the change is not
  /// allowed. Allowed are: Reset to Init to ReadyToReceive to ReadyToSend; from any state to Error or Reset;
  /// and from a state to itself, to set attributes.
  bool modify_queue_pair(std::uint32_t number, const QueuePairChange& change);
  [[nodiscard]] std::optional<QueuePairFacts> query_queue_pair(std::uint32_t number);

  [[nodiscard]] std::optional<QueueCounters> queue_counters(std::uint32_t number);
  [[nodiscard]] PortCounters port_counters();

  /// Carries out posted requests and arrived messages in the calling thread, unless another thread does so;
  /// never waits. Programs that poll thus move their data with their own CPU time.
  void progress();

  struct Inside;

 private:
  Card();
  ~Card() = delete;
  std::unique_ptr<Inside> inside_;
};

}  // namespace collbench::softmlx5
