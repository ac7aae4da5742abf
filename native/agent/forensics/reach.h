#pragma once
// Do data connections between machines get through? One agent opens a door where its ranks would listen, the
// others knock from where theirs would connect: a word, 64 KiB there, 64 KiB back. Everything is polled;
// nothing blocks.
#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/line_channel.h"

namespace collbench::agent {

struct DoorRequest {
  std::int64_t id = 0;
  std::string interface_name;  // as the socket transport takes it, "" = its choice between machines
  std::string word;            // who does not know it gets no answer
};
struct Door {
  std::string interface_name, address;  // "eth0", "10.0.0.1"
  int port = 0;
  std::string problem;           // "" = open
  std::int64_t realtime_ns = 0;  // wall clock now, for the skew between machines
};
struct KnockRequest {
  std::int64_t id = 0;
  std::string interface_name, word;
  struct Target {
    std::string address;
    int port = 0;
  };
  std::vector<Target> targets;  // at most kMostTargets
  std::int64_t timeout_ns = 0;
};
inline constexpr std::size_t kMostTargets = 256;
inline constexpr std::size_t kKnockBytes = 65536;
struct KnockResult {
  /// through; refused; unanswered (nothing came back); stalled (connected, but the bytes did not get
  /// through); unreachable (no way there); failed
  std::string outcome;
  std::string detail;           // of the system, "" = none
  std::int64_t connect_ns = 0;  // until connected
  std::int64_t elapsed_ns = 0;  // until all bytes were back
  int path_mtu = -1;            // as the kernel knows it; -1 = it does not say
  int segment_bytes = -1;       // largest TCP segment
};

/// Doors and knocks of one agent; doors stay open as long as it lives.
class Reach {
 public:
  Reach();
  ~Reach();
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;

  Door open(const DoorRequest& request);
  void knock(const KnockRequest& request);
  void add_to_poll(std::vector<pollfd>& set) const;
  /// When step() is due at the latest; INT64_MAX = not before a descriptor is ready.
  [[nodiscard]] std::int64_t due_ns() const;

  struct Knocked {
    std::int64_t id = 0;
    std::vector<KnockResult> results;  // in the order of the targets
  };
  /// Does what can be done now. @returns the knocks that are over
  std::vector<Knocked> step();

 private:
  struct Visitor;
  struct OpenDoor;
  struct Attempt;
  struct Round;
  std::vector<OpenDoor> doors_;
  std::vector<Round> rounds_;
};

}  // namespace collbench::agent
