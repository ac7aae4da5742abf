#pragma once
// Executes a RingPlan with the two neighbours. Receives are posted ahead and several messages are in flight.
// One loop drives sending and receiving and never waits for only one of them.
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/kernels.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/ring_plan.h"

namespace collbench::cpu {

/// Chunk sizes of the ring algorithm for one transport. A chunk is one message; a slot is memory for a chunk
/// that is sent on to the next rank.
struct RingTuning {
  std::size_t largest_chunk = std::size_t{256} << 10;  // Bytes; also the size of a slot.
  std::size_t smallest_chunk = std::size_t{16} << 10;
  std::size_t chunks_per_block = 4;  // Chunks per block to aim for, between the two limits.
  int skew = 2;                      // Rounds between receiving a chunk and sending it on.
};

/// Send and receive buffer of one collective call with their registrations (such as RDMA memory regions).
struct RingBuffers {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  MemoryRegion* send_region = nullptr;  // Send buffer, registered with the connection to the right neighbour.
  /// Receive buffer, registered with the connection to the right neighbour, for data that are sent on from
  /// it.
  MemoryRegion* forward_region = nullptr;
  /// Receive buffer, registered with the connection from the left neighbour.
  MemoryRegion* recv_region = nullptr;
};

class RingExecutor {
 public:
  /// Allocates its slots (memory for chunks that are sent on) and registers them with the connections to the
  /// left and right neighbours. Both connections must outlive this object.
  RingExecutor(RecvComm& left, SendComm& right, int ranks, const RingTuning& tuning, std::uint32_t spins,
               const std::function<bool()>& cancelled);
  ~RingExecutor();
  RingExecutor(const RingExecutor&) = delete;
  RingExecutor& operator=(const RingExecutor&) = delete;

  void run(const RingPlan& plan, const Operation& operation, const RingBuffers& buffers);

 private:
  static constexpr std::size_t kWindow = 16;  // Messages in flight per direction.
  static constexpr int kNoSlot = -1;

  /// Next chunk to send or to receive, as position in the sequence of (step, chunk) that all ranks follow.
  struct Cursor {
    std::size_t round = 0;
    std::size_t step = 0;
    std::size_t chunk = 0;
    bool end = false;
  };
  struct InFlightMessage {
    Request* request = nullptr;
    std::size_t step = 0;
    std::size_t chunk = 0;
    int slot = kNoSlot;
  };
  /// First-in-first-out queue of at most kWindow messages in flight.
  struct Window {
    std::array<InFlightMessage, kWindow> flights;
    std::size_t first = 0;
    std::size_t count = 0;
    [[nodiscard]] bool full() const noexcept { return count == kWindow; }
    InFlightMessage& oldest() noexcept { return flights[first]; }
    void push(const InFlightMessage& flight) noexcept { flights[(first + count++) % kWindow] = flight; }
    void pop() noexcept {
      first = (first + 1) % kWindow;
      --count;
    }
  };
  struct Span {
    std::size_t at;
    std::size_t elements;
  };

  template <class Takes>
  void advance_to_item(Cursor& cursor, Takes takes) const;
  template <class Takes>
  void advance(Cursor& cursor, Takes takes) const;
  [[nodiscard]] Span span_of(std::size_t chunk, std::size_t length) const noexcept;
  [[nodiscard]] std::byte* slot(int index) const noexcept;
  bool post_receive();
  bool finish_receive();
  bool start_send();
  bool finish_send();
  bool copy_own();

  RecvComm& left_;
  SendComm& right_;
  const RingTuning tuning_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  Pages slots_;
  int slot_count_;
  MemoryRegion* slots_to_right_ = nullptr;
  MemoryRegion* slots_from_left_ = nullptr;

  int ranks_;
  std::vector<char> slot_busy_;

  // State of the running call.
  const RingPlan* plan_ = nullptr;
  RingBuffers buffers_;
  Combine combine_ = nullptr;
  Divide divide_ = nullptr;  // Null unless the reduction is kAvg.
  std::size_t element_ = 1;
  std::size_t chunk_elements_ = 1;
  std::size_t chunks_ = 0;
  std::size_t slot_bytes_ = 0;
  Cursor posting_;
  Cursor sending_;
  Window receives_;
  Window sends_;
  std::vector<std::size_t> received_;  // Number of received chunks, by step.
  std::vector<int> held_;              // Slots that wait to be sent, by step and chunk modulo slot_count_.
  int next_slot_ = 0;
  std::size_t own_bytes_ = 0;  // Bytes that are copied locally while nothing else is ready.
  std::size_t copied_ = 0;
};

}  // namespace collbench::cpu
