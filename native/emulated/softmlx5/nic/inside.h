#pragma once
// Implementation of Card: its objects and the steps that carry out work. Callers hold the lock.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "emulated/softcard/link_ledger.h"
#include "emulated/softmlx5/nic/card.h"
#include "emulated/softmlx5/nic/completion_queue.h"
#include "emulated/softmlx5/nic/fabric.h"
#include "emulated/softmlx5/nic/faults.h"
#include "emulated/softmlx5/nic/gpu_copy.h"
#include "emulated/softmlx5/nic/link_model.h"
#include "emulated/softmlx5/nic/queue_pair.h"

namespace collbench::softmlx5 {

struct Card::Inside {
  std::mutex mutex;
  std::atomic<int> callers{0};             // threads waiting for the lock; the engine yields to them
  std::atomic<std::int64_t> polled_ns{0};  // time when a client last carried out work by itself

  Fabric fabric;
  LinkModel model;
  std::unique_ptr<CardFaults> faults;
  softcard::LinkLedger outgoing, incoming;  // both directions of the port
  MemoryTable memory;
  std::unordered_map<std::uint32_t, CompletionQueue> completion_queues;
  std::unordered_map<std::uint32_t, ReceiveQueue> receive_queues;
  std::map<std::uint32_t, std::unique_ptr<QueuePair>> queue_pairs;
  std::unordered_map<const std::byte*, int> uar_users;
  struct Domain {
    Owner owner = nullptr;
    int users = 0;  // queue pairs in this domain
  };
  std::map<std::uint32_t, Domain> domains;
  /// Initiators (LID, queue number) whose last request failed here. Their further requests are ignored until
  /// they reset their queue.
  std::set<std::pair<std::uint16_t, std::uint32_t>> silenced;
  PortCounters port;
  std::uint32_t last_number = 0;
  std::uint64_t completions = 0, requests = 0;
  std::uint32_t steps = 0;
  std::int64_t looked_for_lost_ns = 0;
  bool port_is_down = false;
  std::vector<std::byte> staging;  // buffer for copies between a GPU and another process

  /// Carries out posted work and arrived messages that can be handled now, without waiting; at most 64 of
  /// each per queue pair or connection.
  /// @returns true if there was any
  bool step();

  /// True if the connection's oldest unread frame has arrived by the link model. The port receives frames one
  /// after the other, whichever cards they are from.
  /// @param header header of that frame
  bool has_arrived(CardConnection& channel, const FrameHeader& header) noexcept;

  // Defined in requester.cc.
  bool read_doorbell(QueuePair& pair) noexcept;
  void fetch_entries(QueuePair& pair, std::uint32_t blocks) noexcept;
  bool send(QueuePair& pair);
  void begin(QueuePair& pair);
  bool carry_out(QueuePair& pair);
  bool gather(const QueuePair& pair, std::uint64_t offset, const Parts& to, std::size_t bytes);
  bool send_frame(QueuePair& pair, CardConnection& channel, FrameHeader& header);
  std::int64_t reserve_port(QueuePair& pair, std::uint64_t bytes) noexcept;
  // Defined in answers.cc.
  bool fetch(const CardConnection& channel, std::uint64_t from, const ResolvedAddress& to, std::size_t bytes);
  bool scatter(const QueuePair& pair, PendingEntry& pending, const std::byte* from, std::size_t bytes);
  std::uint8_t take_answer(QueuePair& pair, PendingEntry& pending, CardConnection& channel,
                           const FrameHeader& header);
  bool take_answers(CardConnection& channel);
  /// Completes, with an error, all work requests to the card with this LID, because its process has ended.
  void fail_all_to(std::uint16_t lid);
  // Defined in responder.cc.
  bool take_requests(CardConnection& channel);
  bool take_parked(QueuePair& pair);
  bool handle(CardConnection& channel, const FrameHeader& header);
  bool serve(QueuePair& pair, CardConnection& channel, const FrameHeader& header, const Parts& payload,
             std::uint64_t* moved);
  bool serve_read(QueuePair& pair, CardConnection& channel, const FrameHeader& header, std::uint64_t* moved);
  std::uint8_t write(QueuePair& pair, const FrameHeader& header, const Parts& payload);
  std::uint8_t pull(QueuePair& pair, CardConnection& channel, const FrameHeader& header,
                    std::uint64_t* moved);
  std::uint8_t receive(QueuePair& pair, const FrameHeader& header, const Parts& payload);
  std::uint8_t swap(QueuePair& pair, const FrameHeader& header, const Parts& payload, std::uint64_t* before);
  void answer(CardConnection& channel, const FrameHeader& to, FrameKind kind, std::uint8_t syndrome,
              const std::byte* payload = nullptr, std::size_t bytes = 0, bool is_last = true);
  void refuse(CardConnection& channel, const FrameHeader& header, std::uint8_t syndrome);
  bool take_receive(QueuePair& pair, const FrameHeader& header);
  void end_receive(QueuePair& pair, const FrameHeader& header, std::uint8_t syndrome);

  // Defined in completion.cc.
  // Completes finished entries at the head of the queue.
  void complete(QueuePair& pair);
  /// Ends the oldest unfinished work queue entry with this syndrome and all later ones as flushed; the queue
  /// pair enters state Error. Does nothing if none is unfinished.
  void fail(QueuePair& pair, std::uint8_t syndrome);
  void flush(QueuePair& pair);
  void put_completion(std::uint32_t queue, const Completion& completion);
  void put_received(QueuePair& pair, const FrameHeader& header, std::uint64_t bytes);

  ResolvedAddress find_local(const QueuePair& pair, const DataPiece& piece, unsigned access) const noexcept;
  // Defined in engine.cc.
  void mark_lost();
  /// Returns the queue pair to state Reset: drops its entries, receives and messages in progress. Setup,
  /// number and counters stay.
  void reset(QueuePair& pair);
  /// Updates which queue pairs may read this doorbell page. The register does not say which queue rings. So
  /// the register is read only while one queue pair has the page to itself; queue pairs that share a page
  /// read only their doorbell records.
  void share_uar(const std::byte* uar) noexcept;

  // Defined in card.cc.
  QueuePair* find(std::uint32_t number) noexcept;
  [[nodiscard]] bool may_use(const QueuePairSetup& setup) const;
  std::uint32_t next_number() noexcept;
};

/// Copies `bytes` within this process's memory, by the CUDA driver if a GPU is concerned.
/// @param touches_gpu true if source or destination may be GPU memory
/// @returns false if the CUDA driver refuses
bool copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool touches_gpu) noexcept;

/// Sets the emulated adapter up: reads link model and faults from the environment and takes a free LID.
/// @param problem receives one line if it fails
/// @returns false if it fails
bool start_card(Card::Inside& inside, std::string* problem);
/// Starts the emulated adapter's thread, which carries out posted work until the process ends.
void start_engine(Card::Inside& inside);

}  // namespace collbench::softmlx5
