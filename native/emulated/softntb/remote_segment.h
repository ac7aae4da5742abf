#pragma once
#include <atomic>
#include <mutex>

#include "core/shared_memory.h"
#include "emulated/softntb/segment_events.h"
#include "emulated/softntb/session.h"

/// A segment of another node to which this process has connected. Its owner may be this same process.
struct sci_remote_segment {
  explicit sci_remote_segment(collbench::softntb::SegmentEvents::Callback callback)
      : events(std::move(callback)) {}

  sci_desc_t desc = nullptr;
  unsigned node = 0;
  unsigned id = 0;
  unsigned adapter = 0;  // local adapter over which it is connected
  std::size_t size = 0;
  bool user_memory = false;   // true: registered memory, which only DMA can access
  std::uint64_t address = 0;  // user_memory: address of the first byte in process `owner`
  pid_t owner = 0;
  collbench::softntb::SharedMemory memory;
  collbench::softntb::SharedMemory links_memory;
  /// Link of the adapter that has the segment; nullptr if its process has no link model.
  collbench::softntb::AdapterLink* link = nullptr;
  std::atomic<bool> lost{false};  // true if the other side disconnected or died
  std::atomic<int> maps{0};
  std::atomic<int> transfers{0};
  collbench::softntb::SegmentEvents events;
  collbench::FileDescriptor connection;
  std::atomic<std::uint64_t> service_id{0};  // the service thread may read it before connect() returns

  /// Passes an event (connection lost and others) to the callback, or to the caller that waits for events.
  void deliver_event(sci_segment_cb_reason_t reason, sci_error_t status);
  void on_message();  // called on the service thread
  /// Maps the reservations of the adapters' links in the process that owns the segment, because transfers to
  /// the segment also reserve its adapter's link. False if they cannot be mapped.
  /// @param shared file descriptor of the memory with the reservations
  bool use_links(collbench::FileDescriptor shared);
};
