#pragma once
// One adapter per process: its objects, and the engine that carries out what queues hold. Everything here is
// safe from any thread. Numbers of queues are 24 bits, never 0, unique in the process, and not given again
// soon. Addresses are of this process.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "softmlx5/nic/memory_table.h"

namespace collbench::softmlx5 {

enum class QueueKind : std::uint8_t { kReliable, kDcInitiator, kDcTarget };
enum class QueueState : std::uint8_t { kReset, kInit, kReadyToReceive, kReadyToSend, kError };

/// The opened device that something was made with. What is made of several things takes those of one owner.
using Owner = const void*;

struct CompletionQueueSetup {
  std::byte* entries = nullptr;  // 64 bytes each, host or GPU
  unsigned log_entries = 0;
  std::byte* doorbell = nullptr;  // first word: consumer index, 24 bits, big-endian; may be nullptr
  bool collapsed = false;         // entry 0 is written every time
  bool ignore_overrun = false;
  bool on_gpu = false;
  Owner owner = nullptr;
};

struct QueuePairSetup {
  QueueKind kind = QueueKind::kReliable;
  std::uint32_t domain = 0;
  std::byte* send_ring = nullptr;  // blocks of 64 bytes, host or GPU; nullptr: cannot send
  unsigned log_blocks = 0;
  std::byte* doorbell = nullptr;       // record of 8 bytes
  std::byte* uar = nullptr;            // page of the doorbell register; nullptr: the record alone counts
  std::uint32_t send_completions = 0;  // completion queues by number, 0 = none
  std::uint32_t receive_completions = 0;
  std::uint32_t receives = 0;  // shared receive queue by number; 0 = its own, posted with post_receive()
  std::uint32_t user_index = 0;
  std::uint64_t access_key = 0;  // DC target
  bool ring_on_gpu = false;
  Owner owner = nullptr;
};

/// What a change of state may bring along; what is absent stays as it is.
struct QueuePairChange {
  QueueState state = QueueState::kReset;
  std::optional<std::uint16_t> remote_lid;
  std::optional<std::uint32_t> remote_queue;
  std::optional<unsigned> access;            // kRemoteWrite, kRemoteRead, kRemoteAtomic
  std::optional<unsigned> receiver_retries;  // 7 = for ever
};

struct QueuePairFacts {
  QueueState state = QueueState::kReset;
  std::uint16_t remote_lid = 0;
  std::uint32_t remote_queue = 0;
  unsigned access = 0;
};

/// Counted since the queue was made; `bytes` are payload.
struct QueueCounters {
  std::uint64_t requests = 0;  // WQEs carried out, without NOP and WAIT
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t packets_sent = 0, packets_received = 0;
  std::uint64_t doorbells = 0;    // seen: several between two looks count as one
  std::uint64_t errors = 0;       // completions with an error
  std::uint64_t dc_connects = 0;  // a DC initiator turned to a target: its first, or another than before
};

struct PortCounters {
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t packets_sent = 0, packets_received = 0;
};

struct Scatter {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0, key = 0;
};

struct Receive {
  std::vector<Scatter> pieces;
  std::uint16_t counter = 0;  // told in the completion's wqe_counter
};

class Card {
 public:
  /// The process's card, made at the first call. nullptr: the environment or the system forbids it; `problem`
  /// (may be nullptr) says why in one line. A forked child has none.
  static Card* open(std::string* problem);

  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  /// Unique among the fabric's processes, 1 to 0xBFFF.
  [[nodiscard]] std::uint16_t lid() const noexcept;
  [[nodiscard]] const std::string& link_name() const noexcept;
  /// Gb/s that the link model stands for; 0 = no model.
  [[nodiscard]] double link_gbitps() const noexcept;
  [[nodiscard]] bool port_is_up() const noexcept;

  std::uint32_t create_domain(Owner owner = nullptr);
  bool destroy_domain(std::uint32_t domain);  // false: something still uses it

  std::uint32_t register_memory(const Region& region);
  bool deregister_memory(std::uint32_t key);

  /// 0: the setup cannot be.
  std::uint32_t create_completion_queue(const CompletionQueueSetup& setup);
  bool destroy_completion_queue(std::uint32_t number);  // false: none, or a queue still uses it

  /// 0: no such domain.
  std::uint32_t create_receive_queue(std::uint32_t domain);
  bool destroy_receive_queue(std::uint32_t number);
  /// `number` of a queue pair with a queue of its own, or of a shared one. False: none.
  bool post_receive(std::uint32_t number, Receive receive);

  /// 0: the setup cannot be, or names what is not there or is another owner's.
  std::uint32_t create_queue_pair(const QueuePairSetup& setup);
  bool destroy_queue_pair(std::uint32_t number);
  /// False: no such queue, or no such change (Reset -> Init -> ReadyToReceive -> ReadyToSend; Error and Reset
  /// from anywhere; the same state again changes attributes).
  bool modify_queue_pair(std::uint32_t number, const QueuePairChange& change);
  [[nodiscard]] std::optional<QueuePairFacts> query_queue_pair(std::uint32_t number);

  [[nodiscard]] std::optional<QueueCounters> queue_counters(std::uint32_t number);
  [[nodiscard]] PortCounters port_counters();

  /// Carries out what is ready, in the calling thread, unless another one is at it: a CPU that polls moves
  /// its own bytes, as the library's poll would. Never blocks.
  void progress();

  struct Inside;

 private:
  Card();
  ~Card() = delete;
  std::unique_ptr<Inside> inside_;
};

}  // namespace collbench::softmlx5
