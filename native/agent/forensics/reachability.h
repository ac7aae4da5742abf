#pragma once
// Tests whether data connections between machines get through. One agent listens where its ranks would, the
// others connect from where theirs would. They send a secret word, then 64 KiB in each direction. Everything
// is polled; nothing blocks.
#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/line_channel.h"

namespace collbench::agent {

struct ProbeListenerRequest {
  std::int64_t id = 0;
  /// Network interface on which to listen, in the form of the socket transport's option; "" = the one that
  /// the socket transport chooses between machines.
  std::string interface_name;
  std::string word;  // Secret word that a connecting agent must send; others get no answer.
};
struct ProbeListener {
  std::string interface_name, address;  // Interface and address of the listener: "eth0", "10.0.0.1".
  int port = 0;
  std::string problem;  // Why the listener could not be opened; "" = it is open.
  /// Wall-clock time of this machine at the answer, in ns; from it the controller computes how much the
  /// machines' clocks differ.
  std::int64_t realtime_ns = 0;
};
struct ReachabilityProbeRequest {
  std::int64_t id = 0;
  std::string interface_name, word;
  struct ProbeTarget {
    std::string address;
    int port = 0;
  };
  std::vector<ProbeTarget> targets;  // Listeners to connect to, at most kMaxProbeTargets.
  std::int64_t timeout_ns = 0;
};
inline constexpr std::size_t kMaxProbeTargets = 256;
inline constexpr std::size_t kProbeBytes = 65536;
struct ReachabilityProbeResult {
  /// Result of connecting to one target: through (all bytes came back); refused; unanswered (no reply);
  /// stalled (connected, but the bytes did not arrive); unreachable (no route); failed (another error).
  std::string outcome;
  std::string detail;           // Error text of the system; "" = none.
  std::int64_t connect_ns = 0;  // Time until the connection was made.
  std::int64_t elapsed_ns = 0;  // Time until all bytes had come back.
  int path_mtu = -1;            // Path MTU as the kernel knows it, bytes; -1 = unknown.
  int segment_bytes = -1;       // Largest TCP segment, bytes; -1 = unknown.
};

/// Tests whether machines can reach each other by TCP. Has the listeners that this agent has opened for other
/// agents (they stay open until the agent ends), and its own running connection tests.
class ReachabilityProber {
 public:
  ReachabilityProber();
  ~ReachabilityProber();
  ReachabilityProber(const ReachabilityProber&) = delete;
  ReachabilityProber& operator=(const ReachabilityProber&) = delete;

  ProbeListener open_listener(const ProbeListenerRequest& request);
  void start_probe(const ReachabilityProbeRequest& request);
  void add_to_poll(std::vector<pollfd>& set) const;
  /// Returns the CLOCK_MONOTONIC time by which step() must be called; INT64_MAX = only when a descriptor is
  /// ready.
  [[nodiscard]] std::int64_t due_ns() const;

  struct FinishedProbe {
    std::int64_t id = 0;
    std::vector<ReachabilityProbeResult> results;  // One result per target, in the order of the request.
  };
  /// Continues all listeners and connection tests as far as possible without waiting. @returns the tests that
  /// have finished
  std::vector<FinishedProbe> step();

 private:
  struct ListenerConnection;
  struct OpenListener;
  struct TargetConnection;
  struct ProbeState;
  std::vector<OpenListener> listeners_;
  std::vector<ProbeState> probes_;
};

}  // namespace collbench::agent
