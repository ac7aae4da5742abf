#pragma once
// Executes a Schedule, and messages of other workloads. Messages with all peers run at the same time; a step
// waits only for the messages it needs.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "collectives/collective.h"
#include "core/clock.h"
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
  /// Function that returns the registration of a message's memory with the connection that moves it. Null if
  /// the transport needs no registration.
  using RegionOf = std::function<MemoryRegion*(const PeerMessage&)>;

  /// @param peers connections indexed by rank; must outlive this object
  /// @param longest_message maximum bytes per message of the transport; longer messages are split
  /// @param spins polls before a wait yields its core
  ScheduleRunner(std::vector<PeerConnections>& peers, std::size_t longest_message, std::uint32_t spins,
                 const std::function<bool()>& cancelled);

  /// Resolves the addresses, connections and registrations of a schedule for one operation. Then run() may
  /// execute it any number of times, until the next call of prepare() or transfer().
  /// @throws Error(kInvalidArgument) if a step needs a peer without a connection
  void prepare(const Schedule& schedule, const Operation& operation, const CallBuffers& buffers);
  /// Executes all steps of the prepared schedule.
  /// @throws Error(kProtocol) if ranks run different operations; kCancelled
  void run();
  /// Transfers all messages at the same time and waits until they are complete.
  /// @throws as prepare() and run()
  void transfer(std::span<const PeerMessage> messages, const RegionOf& region_of);

 private:
  static constexpr std::size_t kAllMessages = std::numeric_limits<std::size_t>::max();

  struct Lane;
  /// Step of the schedule with its addresses; a message also has its state.
  struct PreparedStep {
    ScheduleStep::StepKind kind;
    bool is_last = true;      // False for a part of a split message that other parts follow.
    std::byte* to = nullptr;  // Destination; the data of a message.
    const std::byte* from = nullptr;
    const std::byte* with = nullptr;
    std::size_t size = 0;       // Bytes of a message or copy; elements of a computation.
    std::size_t completed = 0;  // Number of messages, see ScheduleStep.
    std::size_t number = 0;     // Position of a message among the sends, or receives, of the schedule.
    Lane* lane = nullptr;
    MemoryRegion* region = nullptr;
    Request* request = nullptr;
    PreparedStep* next = nullptr;  // Next message that was posted on the lane.
  };
  /// One direction of one peer. A connection completes its messages in order.
  struct Lane {
    SendComm* send = nullptr;  // At most one of `send` and `recv` is set.
    RecvComm* recv = nullptr;
    // Incomplete messages, from `oldest` to `newest`; those from `unstarted` on have no request yet.
    PreparedStep* oldest = nullptr;
    PreparedStep* newest = nullptr;
    PreparedStep* unstarted = nullptr;
    bool is_active = false;
  };
  /// Completion of the sends, or of the receives, of a schedule.
  struct Completion {
    std::vector<std::uint32_t> run_of;  // By message: the latest run in which it was completed.
    std::size_t count = 0;              // Number of complete messages before the first incomplete one.
    /// By message: address to which the time of its completion is written, in ns of CLOCK_MONOTONIC; null =
    /// nowhere. Empty: nowhere for all messages.
    std::vector<std::int64_t*> times_ns;
    void complete(std::size_t number, std::uint32_t run) noexcept {
      run_of[number] = run;
      if (!times_ns.empty() && times_ns[number] != nullptr) *times_ns[number] = now_ns();
      while (count < run_of.size() && run_of[count] == run) ++count;
    }
  };
  struct Copy {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
  };

  Lane& lane_of(int peer, bool sends);
  void clear() noexcept;
  void add_message(Lane& lane, std::byte* data, std::size_t bytes, MemoryRegion* region,
                   std::size_t completed);
  void begin() noexcept;
  void post(PreparedStep& message);
  bool start(const Lane& lane, PreparedStep& message) const;
  bool finish(const Lane& lane, const PreparedStep& message);
  bool advance(Lane& lane, std::size_t end);
  bool copy_part();
  bool poll(std::size_t receives, bool all);
  void wait(const Completion& completion, std::size_t messages);

  std::vector<PeerConnections>& peers_;
  const std::size_t longest_message_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  RegisteredMemory scratch_;
  std::vector<Lane> lanes_;  // By rank: first the one that receives from it, then the one that sends to it.

  std::vector<PreparedStep> steps_;
  Combine combine_ = nullptr;
  Divide divide_ = nullptr;

  // State of the running call.
  std::uint32_t run_ = 0;      // Number of the run; a new schedule begins with 1.
  std::vector<Lane*> active_;  // Lanes with incomplete messages.
  Completion sent_, received_;
  Copy idle_copy_;  // The part of a kCopyWhenIdle that is still to be copied.
};

}  // namespace collbench::cpu
