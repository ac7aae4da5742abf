#pragma once
// Connects the groups of ranks on several machines by a star of TCP connections between their leaders. The
// leader is the first rank of a machine; the centre (root) is the leader on the machine with rank 0. The
// connections carry barriers, decisions, start times and clock exchanges in frames of one size. Only the
// leader's thread uses this class.
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/clock_offset.h"

namespace collbench {

/// Connection to the leader of another machine. A leader is the rank that communicates for all ranks of its
/// machine.
struct LeaderConnection {
  int fd = -1;       // Connected stream socket; HostLink closes it.
  std::string name;  // Name of the other end in error messages: "rank 4 on gpu02 (10.0.0.2)".
};

class HostLink {
 public:
  using ReadClock = std::function<std::int64_t()>;

  /// @param ends on the root: one connection to each other leader; on the other leaders: the connection to
  /// the root
  /// @param abort flag that every wait checks; not 0 throws Error(kCancelled)
  /// @param polls true for leaders with a core of their own: waits poll for a short time before they sleep
  /// @param now returns the time of this machine's monotonic clock in ns
  HostLink(std::vector<LeaderConnection> ends, bool is_root, const std::atomic<std::uint32_t>& abort,
           bool polls, ReadClock now);
  ~HostLink();
  HostLink(const HostLink&) = delete;
  HostLink& operator=(const HostLink&) = delete;

  [[nodiscard]] bool is_root() const noexcept { return is_root_; }

  // A leader that loses a connection throws Error(kConnectionLost) naming the other end. The root first sends
  // its message to all others, which throw the same error.

  /// Barrier between the leaders of all machines, without a time limit. On leaders other than the root it
  /// also counts as a clock exchange.
  /// @param late how many times ranks of this machine were late for a common start so far
  /// @param decision value that the root sends to all leaders; ignored on other leaders
  /// @returns the root's decision
  /// @throws Error(kProtocol) if another machine is at another step
  std::int64_t barrier(std::int64_t decision, std::uint32_t late);
  /// Returns how many times ranks of all other machines were late for a common start so far, as reported at
  /// the last barrier. Only for the root.
  [[nodiscard]] std::uint32_t others_late() const noexcept;

  /// Sends the common start time (on the root's clock) from the root to all leaders. The other leaders
  /// receive it with await_start().
  void announce(std::int64_t start_ns);
  std::int64_t await_start();

  /// Exchanges 16 messages with time stamps between the root and each other leader, to measure the clock
  /// offsets. All leaders must call it together.
  void synchronise();
  /// Returns by how much the root's clock is ahead of this machine's clock; {0, 0} on the root.
  [[nodiscard]] ClockReading clock() const;

  /// Checks that no other machine has closed its connection. A leader calls it while it waits for ranks of
  /// its own machine.
  /// @throws Error(kConnectionLost) if a machine has closed its connection
  void check_connections();

 private:
  /// Kinds of messages. kArrive and kRelease: barrier; kStart: common start; kPing and kPong: clock exchange;
  /// kEnd: the root ends all connections, because one is lost; the reason follows as text.
  enum class FrameKind : std::uint32_t { kArrive = 1, kRelease, kStart, kPing, kPong, kEnd };
  struct Frame {
    FrameKind kind = FrameKind::kArrive;
    std::uint32_t late = 0;
    std::uint64_t round = 0;  // Number of the barrier; both ends must be at the same one.
    /// Used in replies of a clock exchange: time at which the request was received, on the clock of the
    /// reply's sender.
    std::int64_t request_received_ns = 0;
    std::int64_t sent_ns = 0;  // Time at which this frame was sent, on the sender's clock.
    /// Depends on `kind`: the root's decision, the start time, or the length in bytes of the text that
    /// follows.
    std::int64_t value = 0;
  };
  struct Connection {
    int fd = -1;
    std::string name;
    Frame incoming;
    std::size_t filled = 0;  // Bytes of `incoming` received so far.
    std::uint32_t late = 0;  // Late starts of that machine's ranks so far, as of its last barrier.
    std::int64_t request_received_ns = 0;
    int pings = 0;
    bool due = false;    // True on the root if a frame from this connection is expected.
    bool quiet = false;  // True on the root if the last poll() found no data on this connection.
  };

  void send(Connection& end, Frame frame);
  void send_bytes(Connection& end, const void* data, std::size_t bytes);
  /// Reads the bytes that have arrived on a connection, without waiting.
  /// @returns true if end.incoming is a complete frame
  /// @throws Error(kConnectionLost) if the connection has ended, or with the text of a kEnd frame, for which
  /// it waits
  bool receive(Connection& end);
  bool receive_bytes(Connection& end, void* data, std::size_t bytes, std::size_t& filled);
  Frame receive_expected(Connection& end, FrameKind kind);
  /// Receives frames from every connection and calls `take` for each, until `take` has returned true once for
  /// every connection. On the root only.
  void gather(const std::function<bool(Connection&)>& take);
  /// Waits until ready() returns true. Polls for kPollingNs if `polls_`, then sleeps in poll() between calls.
  /// @throws Error(kCancelled) if the abort flag is set; on the root Error(kConnectionLost) if a leader hung
  /// up
  void wait(const std::function<bool()>& ready);
  void stop_if_aborted() const;
  [[noreturn]] void wrong_frame(const Connection& end) const;
  [[noreturn]] void fail_connection(const Connection& end, const std::string& why);

  std::vector<Connection> ends_;
  const bool is_root_;
  const bool polls_;
  const std::atomic<std::uint32_t>& abort_;
  const ReadClock now_;
  std::uint64_t round_ = 0;
  ClockOffset offset_;
};

}  // namespace collbench
