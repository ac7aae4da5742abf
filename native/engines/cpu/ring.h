#pragma once
// Carries out a RingPlan over the two neighbours: receives posted ahead, several messages in flight, sending
// and receiving driven from one loop that never waits for only one of them.
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/kernels.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/ring_plan.h"

namespace collbench::cpu {

/// Chunk sizes that suit a transport (engine.cc names them).
struct RingTuning {
  std::size_t largest_chunk = std::size_t{256} << 10;  // bytes; also the most a slot takes
  std::size_t smallest_chunk = std::size_t{16} << 10;
  std::size_t chunks_per_block = 4;  // aimed at between the two
  int skew = 2;                      // rounds between a chunk's receive and its way on
};

/// Buffers of one call with their registrations.
struct RingBuffers {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  MemoryRegion* send_region = nullptr;     // send buffer with the right neighbour's comm
  MemoryRegion* forward_region = nullptr;  // receive buffer with the right neighbour's comm
  MemoryRegion* recv_region = nullptr;     // receive buffer with the left neighbour's comm
};

class Ring {
 public:
  /// Registers its slots with both comms, which must outlive it.
  Ring(RecvComm& left, SendComm& right, int ranks, const RingTuning& tuning, std::uint32_t spins,
       const std::function<bool()>& cancelled);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void run(const RingPlan& plan, const Operation& operation, const RingBuffers& buffers);

 private:
  static constexpr std::size_t kWindow = 16;  // messages in flight per direction
  static constexpr int kNoSlot = -1;

  /// Walks the items of one direction in the common order.
  struct Cursor {
    std::size_t round = 0;
    std::size_t step = 0;
    std::size_t chunk = 0;
    bool end = false;
  };
  struct Flight {
    Request* request = nullptr;
    std::size_t step = 0;
    std::size_t chunk = 0;
    int slot = kNoSlot;
  };
  /// First in, first out, of at most kWindow flights.
  struct Window {
    std::array<Flight, kWindow> flights;
    std::size_t first = 0;
    std::size_t count = 0;
    [[nodiscard]] bool full() const noexcept { return count == kWindow; }
    Flight& oldest() noexcept { return flights[first]; }
    void push(const Flight& flight) noexcept { flights[(first + count++) % kWindow] = flight; }
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
  void settle(Cursor& cursor, Takes takes) const;
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
  Divide divide_ = nullptr;  // null unless avg
  std::size_t element_ = 1;
  std::size_t chunk_elements_ = 1;
  std::size_t chunks_ = 0;
  std::size_t slot_bytes_ = 0;
  Cursor posting_;
  Cursor sending_;
  Window receives_;
  Window sends_;
  std::vector<std::size_t> received_;  // chunks, by step
  std::vector<int> held_;              // slots that wait to be sent, by step and chunk modulo slot_count_
  int next_slot_ = 0;
  std::size_t own_bytes_ = 0;  // to be copied locally, while there is nothing else to do
  std::size_t copied_ = 0;
};

}  // namespace collbench::cpu
