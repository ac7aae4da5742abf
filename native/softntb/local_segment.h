#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "softcard/shared_memory.h"
#include "softntb/segment_events.h"
#include "softntb/session.h"

/// A segment this process exports (or uses as the local side of DMA).
/// Life: created -> (EMPTY: memory registered) -> prepared on one adapter -> available <-> unavailable ->
/// removed.
struct sci_local_segment {
  enum class State { kCreated, kPrepared, kAvailable, kUnavailable };
  struct Peer {
    collbench::softntb::Fd fd;
    std::uint64_t service_id = 0;
    unsigned node = 0;
    unsigned adapter = 0;
    bool welcomed = false;
  };

  explicit sci_local_segment(collbench::softntb::SegmentEvents::Callback callback)
      : events(std::move(callback)) {}

  sci_desc_t desc = nullptr;
  unsigned id = 0;
  std::size_t size = 0;
  unsigned flags = 0;
  collbench::softntb::SharedMemory memory;  // unused with SCI_FLAG_EMPTY
  std::byte* user_memory = nullptr;         // SCI_FLAG_EMPTY: what was registered
  std::atomic<int> maps{0};
  std::atomic<int> transfers{0};
  std::atomic<State> state{State::kCreated};  // written under `mutex`, read by DMA without
  unsigned adapter = 0;                       // fixed by prepare
  collbench::softntb::SegmentEvents events;

  std::mutex mutex;  // guards what follows
  bool removing = false;
  std::uint64_t next_peer = 1;
  std::map<std::uint64_t, Peer> peers;
  collbench::softntb::Fd auto_id;  // holds the number of an AUTO_ID segment
  collbench::softntb::Fd listener;
  std::uint64_t listener_id = 0;

  [[nodiscard]] bool registered() const noexcept { return (flags & SCI_FLAG_EMPTY) != 0; }
  /// Where the segment's first byte is in this process; nullptr when it cannot be mapped.
  std::byte* base() { return registered() ? user_memory : memory.map(); }

  bool serve();          // starts to listen; false with errno set
  void drop_peers();     // says goodbye to all and closes
  void on_connection();  // service thread
  void on_message(std::uint64_t peer_key);
};
