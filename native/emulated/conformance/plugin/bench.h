#pragma once
// A net plugin under test: opened at the first use, with pairs of comms driven by one thread.
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "emulated/conformance/check.h"
#include "transports/plugin/foreign_net.h"

namespace collbench::conformance::net {

struct PluginTarget {
  std::string path;  // path of the plugin
};

/// Time in nanoseconds after which repeating tests stop early without failing, because a slow plugin is not a
/// wrong one.
constexpr std::int64_t kSlowTestNs = 4'000'000'000;

/// Both ends of a connection in this process: send comm (`out`) and receive comm (`in`).
struct CommPair {
  void* out = nullptr;
  void* in = nullptr;
};

/// The NCCL net plugin under test. One thread drives both ends of each connection.
class PluginBench {
 public:
  /// Sets an alarm, whose signal ends the test's process if the test hangs. The plugin is opened at the first
  /// use.
  explicit PluginBench(const PluginTarget& target);

  /// Returns the plugin, opened and initialised at the first call.
  /// @throws TestFailure if that fails
  collbench::plugin::ForeignNet& net();
  DeviceProperties device() { return net().properties(0); }
  void* listen(ConnectHandle& handle);
  /// Makes a connection from this process to itself.
  /// @throws TestFailure if it takes too long
  CommPair connect();
  CommPair connect(void* listener, const ConnectHandle& handle);
  void close(const CommPair& pair);

  /// The whole receive buffer after one message, and the message's size that the plugin reported; 0 = none.
  struct ReceivedMessage {
    std::vector<char> data;
    int size = 0;
  };
  /// Sends one message over the pair and waits until both ends are done.
  /// @param room size of the receive buffer in bytes
  /// @throws TestFailure if the plugin reports success but the data differ, or after the time of WaitLimit
  ReceivedMessage transfer(const CommPair& pair, const std::vector<char>& sent, std::size_t room);

  /// Calls `look` (a test of progress) until it returns true.
  /// @param what description for the failure
  /// @throws TestFailure after the time of WaitLimit
  template <typename Look>
  void until(const char* what, Look look) {
    const WaitLimit limit;
    while (!look()) expect(!limit.is_over(), what, "not within 5 s");
  }

  /// Returns this process's log lines about plugin calls that failed while something was closed. Only the
  /// first 100 log lines are searched.
  [[nodiscard]] static std::vector<std::string> close_failures();

  const std::string path;
  int other_end = -1;
  pid_t peer = -1;

 private:
  std::shared_ptr<collbench::plugin::ForeignNet> net_;
};

/// Returns bytes that depend on position and seed.
std::vector<char> pattern(std::size_t bytes, unsigned seed);

extern const std::span<const Test<PluginBench>> load_tests, table_tests, init_tests, connect_tests,
    data_tests, close_tests, growth_tests, cost_tests, process_tests;
/// Runs in the second process, with which process_tests exchange messages: obeys commands from `socket`.
void serve_peer(const PluginTarget& target, int socket);

}  // namespace collbench::conformance::net
