#pragma once
// Executes a Schedule. Messages with all peers run at the same time; a step waits only for the messages it
// needs.
#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/connections.h"
#include "engines/cpu/kernels.h"
#include "engines/cpu/registered_memory.h"
#include "engines/cpu/schedule.h"

namespace collbench::cpu {

/// Send and receive buffer of one collective call, each with the registered memory that contains it. Both
/// pointers of a buffer are null if the collective gives this rank no such buffer (for example, no receive
/// buffer in a reduce to another rank).
struct CallBuffers {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  RegisteredMemory* send_memory = nullptr;
  RegisteredMemory* recv_memory = nullptr;
};

class ScheduleRunner {
 public:
  /// @param peers connections indexed by rank; must outlive this object
  /// @param longest_message maximum bytes per message of the transport; longer messages are split
  /// @param spins polls before a wait yields its core
  ScheduleRunner(std::vector<PeerConnections>& peers, std::size_t longest_message, std::uint32_t spins,
                 const std::function<bool()>& cancelled);

  /// Executes all steps of a schedule for one operation.
  /// @throws Error(kInvalidArgument) if a step needs a peer without a connection; kProtocol if ranks run
  /// different operations; kCancelled
  void run(const Schedule& schedule, const Operation& operation, const CallBuffers& buffers);

 private:
  struct InFlightMessage {
    Request* request = nullptr;  // Null if complete, or not yet accepted by the transport.
    PeerConnections* peer = nullptr;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    MemoryRegion* memory = nullptr;
    std::size_t lane = 0;  // Index of the connection: one direction of one peer.
    bool taken = false;    // True if the transport has accepted the message.
  };

  [[nodiscard]] std::byte* at(BufferPosition place) const noexcept;
  MemoryRegion* region(BufferSpace space, int peer, bool sends);
  PeerConnections& peer_of(const ScheduleStep& step) const;
  void post(const ScheduleStep& step);
  /// Tries to start a message on its connection. @returns true if the transport has accepted it
  static bool offer(InFlightMessage& flight);
  /// Tries again to start all messages that the transport has not accepted. Messages of one connection keep
  /// their order; a full connection does not stop messages on others.
  /// @returns true if the transport accepted at least one
  bool offer_again();
  void compute(const ScheduleStep& step) const;
  /// Waits until the first `receives` receives of the call are complete, in the order of posting.
  void await(std::size_t receives);
  void drain();
  bool test_sends();
  bool test_receives(std::size_t first, std::size_t end);
  void step(TransportWait& waiting, std::size_t receives);

  std::vector<PeerConnections>& peers_;
  const std::size_t longest_message_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  RegisteredMemory scratch_;

  // State of the running call.
  CallBuffers buffers_;
  std::size_t element_ = 1;
  Combine combine_ = nullptr;
  Divide divide_ = nullptr;
  std::vector<InFlightMessage> sends_;     // Only incomplete messages.
  std::vector<InFlightMessage> receives_;  // Receives in the order of posting.
  /// For each kReceive step of the schedule, the number of receives posted when that step had been executed.
  std::vector<std::size_t> posted_after_;
  std::size_t arrived_ = 0;              // Number of complete receives, counted from the first.
  std::size_t refused_ = 0;              // Number of messages that the transport has not accepted yet.
  std::vector<std::size_t> refused_of_;  // The same, by connection.
  std::vector<bool> is_stuck_;           // Flags by connection, within one pass of offer_again().
};

}  // namespace collbench::cpu
