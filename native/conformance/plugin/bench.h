#pragma once
// A net plugin under test: opened at the first use, with pairs of comms driven by one thread.
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conformance/check.h"
#include "conformance/plugin/run.h"
#include "transports/plugin/foreign_net.h"

namespace collbench::conformance::net {

/// Time limit after which slow tests stop early: a slow plugin is not a wrong one.
constexpr std::int64_t kSlowTestNs = 4'000'000'000;

/// One direction of a connection, with registered memory at both ends.
struct Pair {
  void* out = nullptr;
  void* in = nullptr;
};

class PluginBench {
 public:
  /// Sets an alarm, whose signal ends a test that hangs.
  explicit PluginBench(const PluginTarget& target);

  /// The initialised plugin. @throws TestFailure if it cannot be initialised
  collbench::plugin::ForeignNet& net();
  DeviceProperties device() { return net().properties(0); }
  void* listen(ConnectHandle& handle);
  /// Connects a pair. @throws TestFailure if it is not connected in time
  Pair connect();
  Pair connect(void* listener, const ConnectHandle& handle);
  void close(const Pair& pair);

  /// Sends `sent` into a buffer of `room` bytes and waits for both ends.
  /// @returns the whole buffer and the size that test wrote; 0 = none
  /// @throws TestFailure if test reports data that differ from those sent
  struct ReceivedMessage {
    std::vector<char> data;
    int size = 0;
  };
  ReceivedMessage transfer(const Pair& pair, const std::vector<char>& sent, std::size_t room);

  /// Calls `look` until it returns true. @throws TestFailure at the time limit
  template <typename Look>
  void until(const char* what, Look look) {
    const std::int64_t end = deadline();
    while (!look()) expect(!is_past(end), what, "not within 5 s");
  }
  static std::int64_t deadline();
  static bool is_past(std::int64_t end);

  /// Failures reported while closing, since the plugin was opened.
  [[nodiscard]] static std::vector<std::string> close_failures();

  const std::string path;
  int other_end = -1;
  pid_t peer = -1;

 private:
  std::shared_ptr<collbench::plugin::ForeignNet> net_;
};

/// Bytes that differ by position and seed.
std::vector<char> pattern(std::size_t bytes, unsigned seed);

extern const std::span<const Test<PluginBench>> load_tests, table_tests, init_tests, connect_tests,
    data_tests, close_tests, growth_tests, cost_tests, process_tests;
/// Body of the second process of process_tests.
void serve_peer(const PluginTarget& target, int socket);

}  // namespace collbench::conformance::net
