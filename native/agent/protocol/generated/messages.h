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

inline constexpr int kProtocolVersion = 3;

/// Answer to `clock`: the machine's clock when the agent read the request.
struct ClockEvent {
  std::int64_t id = 0;
  std::int64_t clock_ns = 0;
};

/// Answer to `probe`: whether the transport can run, and its properties.
struct ProbedEvent {
  std::int64_t id = 0;
  TransportCapability transport = {};
};

/// Data that a rank contributes to an all-gather; all ranks get `exchanged`.
struct ExchangeEvent {
  int launch = 0;
  int rank = 0;
  std::string key = {};
  std::string data = {};
};

/// All ranks of the launch on this host are connected.
struct ReadyEvent {
  int launch = 0;
  std::int64_t setup_ns = 0;
  std::vector<ReadyRank> ranks = {};
};

/// Answer to `sample`: channels that the agent now samples, and sources that it cannot read.
struct SamplingEvent {
  std::int64_t interval_ns = 0;
  std::vector<metrics::MetricChannel> channels = {};
  std::vector<metrics::SourceFailure> failed = {};
};

/// A metric source has failed; the values of its channels are null from now on.
struct SourceFailedEvent {
  std::string source = {};
  std::string reason = {};
};

struct SamplingJitter {
  double median = {};
  double p99 = {};
  double max = {};
};

/// Answer to `unsample`: the cost of sampling, after the last `samples`.
struct SampledEvent {
  std::int64_t ticks = 0;
  std::int64_t missed_ticks = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t resident_bytes = 0;
  SamplingJitter jitter_ns = {};
};

/// Answer to `stop`.
struct StoppedEvent {
  int launch = 0;
};

/// Kind of a failed launch. setup: its ranks had not all connected.
enum class FailureKind : std::uint8_t { kRankDied, kRankError, kHang, kSetup };
inline constexpr std::string_view kFailureKinds[] = {"rank-died", "rank-error", "hang", "setup"};

/// Activity of a launch. idle: between two blocks.
enum class LaunchActivity : std::uint8_t { kStarting, kConnecting, kIdle, kMeasuring };
inline constexpr std::string_view kLaunchActivities[] = {"starting", "connecting", "idle", "measuring"};

/// State of one rank at one moment.
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

/// Traffic of a network interface since the block or the launch began.
struct InterfaceTraffic {
  std::string name = {};
  /// State of the interface as the kernel's operstate: up, down or unknown.
  std::string state = {};
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  /// Number of packets that were lost or damaged.
  std::uint64_t troubled_packets = 0;
  /// In the second after the deadline; absent = not measured.
  std::optional<std::uint64_t> last_received_bytes = {};
  std::optional<std::uint64_t> last_sent_bytes = {};
};

/// A launch has failed; the agent has already killed all its processes.
struct LaunchFailure {
  int launch = 0;
  FailureKind kind = {};
  /// Code of an error or a hang (ErrorCode); for a death the name of the signal, or "exit".
  std::string code = {};
  /// The rank that the agent suspects of causing the failure; null = none stands out.
  std::optional<int> rank = {};
  std::string phase = {};
  LaunchActivity activity = {};
  /// Text of the error that a rank, a library or the system raised; "" = a death or a hang.
  std::string reason = {};
  /// Exit status of the rank, if it exited.
  std::optional<int> exit_status = {};
  /// True if the kernel killed a process for lack of memory.
  bool out_of_memory = false;
  /// State letter of the suspect in /proc/PID/stat: "T" = stopped; "" = not read.
  std::string process_state = {};
  /// Process of the framework's worker that belongs to the suspect.
  std::optional<std::int64_t> worker_pid = {};
  std::vector<RankReport> ranks = {};
  /// Interfaces that carried traffic, or that are down.
  std::vector<InterfaceTraffic> traffic = {};
  /// Lines of the report that NCCL's RAS service gives when a launch hangs.
  std::vector<std::string> ras = {};
};

/// stderr: a line that a rank wrote. engine: the whole log of its libraries, at the end.
struct OutputEvent {
  int launch = 0;
  int rank = 0;
  std::string from = {};
  std::string text = {};
};

/// Answer to `facts`: hardware and software of the machine.
struct FactsEvent {
  std::int64_t id = 0;
  facts::MachineFacts facts = {};
};

/// Answer to `listener`: address and port of the test listener.
struct ProbeListener {
  std::int64_t id = 0;
  std::string interface = {};
  std::string address = {};
  int port = 0;
  /// Reason why there is no listener; "" = none.
  std::string problem = {};
  /// Wall clock since 1970, exact only to about a microsecond.
  double realtime_ns = {};
};

/// Result of connecting to one target.
struct ReachabilityProbeResult {
  /// through, refused, unanswered, stalled (bytes are missing), unreachable or failed
  std::string outcome = {};
  /// Error text of the system; "" = none.
  std::string detail = {};
  /// Time until the connection was made.
  std::int64_t connect_ns = 0;
  /// Time until all bytes had come back.
  std::int64_t elapsed_ns = 0;
  /// Path MTU as the kernel knows it, bytes.
  std::optional<int> path_mtu = {};
  /// Largest TCP segment.
  std::optional<int> segment_bytes = {};
};

/// Answer to `connect`: results of the targets, in the order of the request.
struct ConnectionsEvent {
  std::int64_t id = 0;
  std::vector<ReachabilityProbeResult> results = {};
};

/// Keepalive, sent at the interval that the controller's `hello` requested.
struct BeatEvent {};

/// Ranks made progress in the block; the controller restarts its timeout.
struct ProgressEvent {
  int launch = 0;
  std::uint64_t block = 0;
};

/// A text about a rank.
struct LogEvent {
  std::string level = {};
  int launch = 0;
  int rank = 0;
  std::string text = {};
};

/// First message of the controller.
struct HelloRequest {
  int protocol = 0;
  /// One of warn, info, debug; "" = unchanged.
  std::string log_level = {};
  /// Interval at which both sides send `beat`; absent = never.
  std::optional<std::int64_t> beat_ns = {};
};

/// Message without content; it shows that the sender is alive.
struct BeatRequest {};

/// Request for the current time of this machine's clock.
struct ClockRequest {
  std::int64_t id = 0;
};

/// Request to test whether a transport can run on this machine.
struct ProbeRequest {
  std::int64_t id = 0;
  /// Engine to probe; "" = cpu.
  std::string engine = {};
  /// "plugin:PATH" is read as "plugin", with the path in options.library.
  std::string transport = {};
  TransportOptions options = {};
  std::map<std::string, std::string> settings = {};
  /// Variables for the process in which a plugin is probed.
  std::map<std::string, std::string> environment = {};
  /// Time limit of that process.
  std::int64_t deadline_ns = 8'000'000'000;
};

/// CPUs and NUMA nodes that the controller has chosen for one rank.
struct RankPlacement {
  int rank = 0;
  /// CPUs that the rank may use; empty = not bound.
  std::vector<int> cpus = {};
  /// NUMA nodes of the rank's memory; empty = any.
  std::vector<int> memory_nodes = {};
};

/// Share in the cores of a machine on which several launches measure at once.
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
  /// Settings of the engine by name, such as the numbers of the GPUs to use.
  std::map<std::string, std::string> settings = {};
  int ranks = 0;
  /// Ranks that this machine starts, ascending.
  std::vector<int> local_ranks = {};
  /// True: the agent sends what ranks write as `output` messages.
  bool output = false;
  /// One for each local rank; absent = cores.h decides.
  std::optional<std::vector<RankPlacement>> placements = {};
  /// True: ranks raise their scheduling priority, or fail (scheduling.h).
  bool high_priority = false;
  /// True: ranks leave control groups with a quota of processor time, or fail (scheduling.h).
  bool leave_cpu_quota = false;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> environment = {};
  /// Absent = this launch measures alone.
  std::optional<CoreSharing> together = {};
  /// Launches with another number get other cores (cores.h).
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

/// Request to start recording metrics of the machine; sent once, after `hello`.
struct SampleRequest {
  std::int64_t interval_ns = 0;
  /// Names of metric sources; null = all that this machine has.
  std::optional<std::vector<std::string>> sources = {};
  /// Ranks whose CPU time and memory are recorded while launches run them on this machine.
  std::vector<int> ranks = {};
};

/// Request to stop recording.
struct UnsampleRequest {};

/// Request to end the ranks of a launch.
struct StopRequest {
  int launch = 0;
};

/// Request to open a test listener where ranks would listen, so that other hosts can try it.
struct ListenerRequest {
  std::int64_t id = 0;
  /// Name, as in the options of the transport socket; "" = chosen by the agent.
  std::string interface = {};
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
  std::string interface = {};
  std::string word = {};
  /// Listeners to connect to.
  std::vector<ProbeTarget> targets = {};
  std::int64_t timeout_ns = 0;
};

using ControllerMessage = std::variant<HelloRequest, BeatRequest, ClockRequest, ProbeRequest, LaunchRequest,
                                       ExchangedMessage, MeasureRequest, SampleRequest, UnsampleRequest,
                                       StopRequest, FactsRequest, ListenerRequest, ReachabilityProbeRequest>;

/// Parses a line from the controller. @throws Error(kProtocol) naming the field, its value and the allowed
/// values
ControllerMessage parse_controller_message(const std::string& line);

// Lines of messages to the controller, each with a newline at its end.

std::string to_line(const AgentHello& value);
std::string to_line(const ClockEvent& value);
std::string to_line(const ProbedEvent& value);
std::string to_line(const ExchangeEvent& value);
std::string to_line(const ReadyEvent& value);
std::string to_line(const SamplingEvent& value);
std::string to_line(const SourceFailedEvent& value);
std::string to_line(const SampledEvent& value);
std::string to_line(const StoppedEvent& value);
std::string to_line(const LaunchFailure& value);
std::string to_line(const OutputEvent& value);
std::string to_line(const FactsEvent& value);
std::string to_line(const ProbeListener& value);
std::string to_line(const ConnectionsEvent& value);
std::string to_line(const BeatEvent& value);
std::string to_line(const ProgressEvent& value);
std::string to_line(const LogEvent& value);

}  // namespace collbench::agent
