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
#include "agent/protocol/generated/messages.h"

namespace collbench::agent {

inline constexpr std::size_t kProbeBytes = 65536;

/// Tests whether machines can reach each other by TCP. Has the listeners that this agent has opened for other
/// agents (they stay open until the agent ends), and its own running connection tests.
class ReachabilityProber {
 public:
  ReachabilityProber();
  ~ReachabilityProber();
  ReachabilityProber(const ReachabilityProber&) = delete;
  ReachabilityProber& operator=(const ReachabilityProber&) = delete;

  ProbeListener open_listener(const ListenerRequest& request);
  void start_probe(const ReachabilityProbeRequest& request);
  void add_to_poll(std::vector<pollfd>& set) const;
  /// Returns the CLOCK_MONOTONIC time by which step() must be called; INT64_MAX = only when a descriptor is
  /// ready.
  [[nodiscard]] std::int64_t due_ns() const;

  /// Continues all listeners and connection tests as far as possible without waiting. @returns the tests that
  /// have finished
  std::vector<ConnectionsEvent> step();

 private:
  struct ListenerConnection;
  struct OpenListener;
  struct TargetConnection;
  struct ProbeState;
  std::vector<OpenListener> listeners_;
  std::vector<ProbeState> probes_;
};

}  // namespace collbench::agent
