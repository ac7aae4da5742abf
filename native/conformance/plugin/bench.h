#pragma once
// A net plugin under test: opened on demand, with pairs of its comms that one thread drives.
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conformance/check.h"
#include "conformance/plugin/run.h"
#include "transports/plugin/foreign_net.h"

namespace collbench::conformance::net {

/// A slow plugin is no wrong one: what it does in this time is looked at.
constexpr std::int64_t kEnoughNs = 4'000'000'000;

/// One direction of one connection, with memory registered at both ends.
struct Pair {
  void* out = nullptr;
  void* in = nullptr;
};

class Bench {
 public:
  /// A test that hangs is ended by a signal.
  explicit Bench(const Target& target);

  /// The plugin, initialised. @throws Failure it cannot be
  collbench::plugin::ForeignNet& net();
  DeviceProperties device() { return net().properties(0); }
  void* listen(ConnectHandle& handle);
  /// @throws Failure not connected in time
  Pair connect();
  Pair connect(void* listener, const ConnectHandle& handle);
  void close(const Pair& pair);

  /// Sends `sent` into `room` bytes and waits for both ends.
  /// @returns what arrived, `room` bytes, and the size that test wrote; 0 = none
  /// @throws Failure other bytes than those sent when test says that they are there
  struct Arrived {
    std::vector<char> data;
    int size = 0;
  };
  Arrived transfer(const Pair& pair, const std::vector<char>& sent, std::size_t room);

  /// Calls `look` until it is true. @throws Failure not in time
  template <typename Look>
  void until(const char* what, Look look) {
    const std::int64_t end = deadline();
    while (!look()) expect(!is_past(end), what, "not within 5 s");
  }
  static std::int64_t deadline();
  static bool is_past(std::int64_t end);

  /// Failures while closing since the plugin was opened.
  [[nodiscard]] static std::vector<std::string> complaints();

  const std::string path;
  int other_end = -1;
  pid_t peer = -1;

 private:
  std::shared_ptr<collbench::plugin::ForeignNet> net_;
};

/// Different at every place and for every seed.
std::vector<char> pattern(std::size_t bytes, unsigned seed);

extern const std::span<const Test<Bench>> load_tests, table_tests, init_tests, connect_tests, data_tests,
    close_tests, growth_tests, cost_tests, process_tests;
/// The second process of process_tests.
void serve_peer(const Target& target, int socket);

}  // namespace collbench::conformance::net
