#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "core/shared_memory.h"
#include "emulated/softntb/segment_events.h"
#include "emulated/softntb/session.h"

/// A SISCI segment of this process: memory to which peers may connect, or the local side of DMA. Its states:
/// created; with SCI_FLAG_EMPTY, memory registered; prepared on one adapter; available or unavailable to
/// peers, any number of times; removed.
struct sci_local_segment {
  enum class State { kCreated, kPrepared, kAvailable, kUnavailable };
  struct Peer {
    collbench::FileDescriptor fd;
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
  std::byte* user_memory = nullptr;         // SCI_FLAG_EMPTY: the registered memory
  std::atomic<int> maps{0};
  std::atomic<int> transfers{0};
  std::atomic<State> state{State::kCreated};  // written with `mutex` held; DMA reads it without
  unsigned adapter = 0;                       // adapter number, fixed by prepare
  collbench::softntb::SegmentEvents events;

  std::mutex mutex;  // guards the members below
  bool removing = false;
  std::uint64_t next_peer = 1;
  std::map<std::uint64_t, Peer> peers;
  collbench::FileDescriptor auto_id;  // socket that reserves the number of an AUTO_ID segment
  collbench::FileDescriptor listener;
  std::uint64_t listener_id = 0;

  [[nodiscard]] bool registered() const noexcept { return (flags & SCI_FLAG_EMPTY) != 0; }
  /// Returns the address of the segment's first byte in this process; nullptr if the memory cannot be mapped,
  /// or none is registered yet.
  std::byte* base() { return registered() ? user_memory : memory.map(); }

  bool serve();          // starts to listen; false with errno set on failure
  void drop_peers();     // tells all connected peers and closes their connections
  void on_connection();  // called on the service thread
  void on_message(std::uint64_t peer_key);
};
