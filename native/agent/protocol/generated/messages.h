// Generated from orchestration/protocol.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/protocol/message_types.h"

namespace collbench::agent {

inline constexpr int kProtocolVersion = 2;
/// Code of a hang whose suspect is not in the collective call in which all other ranks wait.
inline constexpr const char* kAbsentCode = "absent";
/// Code of a hang whose suspect has not connected to the address at which the ranks meet.
inline constexpr const char* kNeverJoinedCode = "never_joined";

/// Kind of a failed launch. setup: its ranks had not all connected.
enum class FailureKind : std::uint8_t { kRankDied, kRankError, kHang, kSetup };
inline constexpr std::string_view kFailureKinds[] = {"rank-died", "rank-error", "hang", "setup"};

/// Activity of a launch when it failed: starting its processes, connecting the ranks, idle between blocks,
/// or measuring a block.
enum class LaunchActivity : std::uint8_t { kStarting, kConnecting, kIdle, kMeasuring };
inline constexpr std::string_view kLaunchActivities[] = {"starting", "connecting", "idle", "measuring"};

/// State of one rank at one moment. Sent with the message `failed`; the watch of deadlines compares these
/// states, too.
struct RankReport {
  int rank = 0;
  std::int64_t pid = 0;
  bool alive = false;
  std::string phase = {};
  std::uint64_t block = 0;
  /// Number of operations that the rank has completed in this block.
  std::int64_t iterations_done = 0;
  /// Time since the rank last made progress.
  std::int64_t idle_ns = 0;
  std::vector<std::string> stack = {};
  std::vector<std::string> log_tail = {};
  /// Last log lines of the libraries that the rank's engine uses.
  std::vector<std::string> engine_tail = {};
};

/// Traffic of a network interface since the block began, or the launch if its ranks still connected.
struct InterfaceTraffic {
  std::string name = {};
  /// State of the interface as the kernel's operstate: up, down or unknown.
  std::string state = {};
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  /// Number of packets that were lost or damaged.
  std::uint64_t troubled_packets = 0;
  /// Bytes received in the second after the deadline; absent if the agent did not measure them.
  std::optional<std::uint64_t> last_received_bytes = {};
  std::optional<std::uint64_t> last_sent_bytes = {};
};

/// First message of the controller.
struct HelloRequest {
  int protocol = 0;
  /// One of warn, info, debug; "" = unchanged.
  std::string log_level = {};
  /// Interval at which both sides send `beat`. The agent exits when kBeatsMissed intervals pass without a
  /// message. 0 = no beats: a controller on the same machine does not need them, because stdin ends when it
  /// ends.
  std::int64_t beat_ns = 0;
};

/// Message without content; it shows that the sender is alive.
struct BeatMessage {};

/// Request for the current time of this machine's clock.
struct ClockRequest {
  std::int64_t id = 0;
};

/// Request to test whether a transport can run on this machine.
struct ProbeRequest {
  std::int64_t id = 0;
  /// Engine to probe; "" = cpu.
  std::string engine = {};
  /// Name of the transport. "plugin:PATH" is read as "plugin", with the path in options.library.
  std::string transport = {};
  TransportOptions options = {};
  std::map<std::string, std::string> settings = {};
  /// Environment variables for the probe of a plugin, which runs in a separate process, and the time limit of
  /// that process.
  std::map<std::string, std::string> environment = {};
  std::int64_t deadline_ns = 8'000'000'000;
};

/// CPUs and NUMA nodes that the controller has chosen for one rank, for example because the user named them.
struct RankPlacement {
  int rank = 0;
  /// CPUs that the rank may use; empty = not bound.
  std::vector<int> cpus = {};
  /// NUMA nodes of the rank's memory; empty = any.
  std::vector<int> memory_nodes = {};
};

/// Share of a launch in the machine's cores, if several launches measure at the same time.
struct CoreSharing {
  /// Number of ranks of all these launches on this machine, this one included.
  int ranks = 0;
  /// Number of ranks that get their cores before the ranks of this launch.
  int before = 0;
};

/// Request to start the rank processes of a launch.
struct LaunchRequest {
  int launch = 0;
  std::string engine = {};
  /// Name of the transport, as in `probe`.
  std::string transport = {};
  TransportOptions options = {};
  /// Algorithm of the engine; null = chosen per size.
  std::optional<std::string> algorithm = {};
  /// Settings of the engine by name, such as the numbers of the GPUs to use or NCCL's algorithm.
  std::map<std::string, std::string> settings = {};
  int ranks = 0;
  /// Ranks that this machine starts, ascending.
  std::vector<int> local_ranks = {};
  /// True: the agent sends the output of ranks and the logs of their engines as `output` messages.
  bool output = false;
  /// CPUs and NUMA nodes of each local rank. Absent = the agent binds each rank to one core, if there are
  /// enough (cores.h).
  std::optional<std::vector<RankPlacement>> placements = {};
  std::uint64_t seed = 0;
  std::map<std::string, std::string> environment = {};
  /// Absent = this launch measures alone.
  std::optional<CoreSharing> together = {};
  /// Number of the launch among those over its transport, from 0. For each number the agent chooses other
  /// cores for the ranks (cores.h).
  int turn = 0;
  std::int64_t deadline_ns = 0;
};

/// End of an all-gather in which each rank sent `exchange`.
struct ExchangedMessage {
  int launch = 0;
  std::string key = {};
  /// Data of all ranks, by rank, as they sent them.
  std::vector<std::string> data = {};
};

/// Request to start recording metrics of the machine (CPU time, network traffic, ...); sent once, after
/// `hello`.
struct SampleRequest {
  std::int64_t interval_ns = 0;
  /// Names of metric sources; null = all that this machine has.
  std::optional<std::vector<std::string>> sources = {};
  /// Ranks whose CPU time and memory are recorded while launches run them on this machine.
  std::vector<int> ranks = {};
};

struct UnsampleRequest {};

struct StopRequest {
  int launch = 0;
};

/// Request to open a test listener where ranks would listen, so that other hosts can try to connect.
struct ProbeListenerRequest {
  std::int64_t id = 0;
  /// Network interface on which to listen, in the form of the socket transport's option; "" = the one that it
  /// chooses between machines.
  std::string interface_name = {};
  /// Secret word that a connecting agent must send; others get no answer.
  std::string word = {};
};

struct ProbeTarget {
  std::string address = {};
  int port = 0;
};

/// Request to test connections to the listeners of other machines.
struct ReachabilityProbeRequest {
  std::int64_t id = 0;
  std::string interface_name = {};
  std::string word = {};
  /// Listeners to connect to.
  std::vector<ProbeTarget> targets = {};
  std::int64_t timeout_ns = 0;
};

/// A launch has failed: a rank died, hung or reported an error. The agent has already killed all its
/// processes. The controller compares the reports of all agents to find the first cause, and writes the text
/// for users.
struct LaunchFailure {
  FailureKind kind = FailureKind::kRankDied;
  /// Error code of the failure. For a death: signal name or "exit". For a hang: "timeout", kAbsentCode or
  /// kNeverJoinedCode.
  std::string code = {};
  /// The rank that the agent suspects of causing the failure; null if none of its ranks stands out.
  std::optional<int> rank = {};
  std::string phase = {};
  LaunchActivity activity = LaunchActivity::kStarting;
  /// Text of the error that a rank, a library or the system raised; "" for deaths and hangs.
  std::string reason = {};
  /// Exit status of the rank, if it exited; otherwise null.
  std::optional<int> exit_status = {};
  /// True if the kernel killed a process for lack of memory during the launch.
  bool out_of_memory = false;
  /// State letter of the suspected rank in /proc/PID/stat, for example "T" = stopped; "" = not read.
  std::string process_state = {};
  /// Process id of the framework's worker process of the suspected rank; null if there is none.
  std::optional<std::int64_t> worker_pid = {};
  std::vector<RankReport> ranks = {};
  /// Network interfaces that carried traffic since the block (or the launch) began, or that are down.
  std::vector<InterfaceTraffic> traffic = {};
  /// Lines of the report that NCCL's RAS service gives when a launch hangs; empty if there is none.
  std::vector<std::string> ras = {};
};

using ControllerMessage =
    std::variant<HelloRequest, BeatMessage, ClockRequest, ProbeRequest, LaunchRequest, ExchangedMessage,
                 MeasureRequest, SampleRequest, UnsampleRequest, StopRequest, FactsRequest,
                 ProbeListenerRequest, ReachabilityProbeRequest>;

/// Parses a line from the controller. @throws Error(kProtocol) naming the field, its value and the allowed
/// values
ControllerMessage parse_controller_message(const std::string& line);

// Lines of messages to the controller, each with a newline at its end.

std::string hello_line(const AgentHello& value);
std::string clock_line(std::int64_t id, std::int64_t clock_ns);
std::string probed_line(std::int64_t id, const TransportCapability& transport);
std::string exchange_line(int launch, int rank, const std::string& key, const std::string& data);
std::string ready_line(int launch, std::int64_t setup_ns, const std::vector<ReadyRank>& ranks);
std::string sampling_line(std::int64_t interval_ns, const std::vector<metrics::MetricChannel>& channels,
                          const std::vector<metrics::SourceFailure>& failed);
std::string source_failed_line(const metrics::SourceFailure& value);
std::string sampled_line(const SamplingCost& value);
std::string stopped_line(int launch);
std::string failed_line(int launch, const LaunchFailure& value);
std::string output_line(int launch, int rank, std::string_view from, const std::string& text);
std::string facts_line(std::int64_t id, const facts::MachineFacts& facts);
std::string listener_line(std::int64_t id, const ProbeListener& value);
std::string connections_line(std::int64_t id, const std::vector<ReachabilityProbeResult>& results);
std::string beat_line();
std::string progress_line(int launch, std::uint64_t block);
std::string log_line(std::string_view level, int launch, int rank, const std::string& text);

}  // namespace collbench::agent
