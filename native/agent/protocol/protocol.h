#pragma once
// C++ side of orchestration/protocol.ts: one JSON object per line (native/contract compares the two). The
// controller's messages are parsed here only. The agent passes launch, exchanged, measure and stop to its
// ranks unchanged, and ranks use the same parser. JSON stays inside protocol*.cc, which are slow to compile.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/forensics/reachability.h"
#include "agent/rank_session.h"
#include "agent/traffic.h"
#include "metrics/facts/facts.h"
#include "metrics/inventory.h"
#include "metrics/ring.h"
#include "metrics/sampler.h"
#include "transports/registry.h"

namespace collbench::agent {

inline constexpr int kProtocolVersion = 2;
inline constexpr const char* kVersion = "0.1.0";

// ---- controller to agent, and from the agent to the ranks ----

struct HelloRequest {
  int protocol = 0;
  std::string log_level;  // One of warn, info, debug; empty = unchanged.
  /// Interval in ns at which agent and controller each send `beat`. The agent exits if it receives
  /// nothing for kBeatsMissed intervals. 0 = no beats: a controller on the same machine does not need them,
  /// because stdin ends when it ends.
  std::int64_t beat_ns = 0;
};
/// Message without content; it shows that the sender is alive.
struct BeatMessage {};
inline constexpr int kBeatsMissed = 6;
struct ProbeRequest {
  std::int64_t id = 0;
  std::string engine;  // Name of the engine; "" = cpu.
  /// Name of the transport. For "plugin:PATH" it is "plugin", and the path is in options.library.
  std::string transport;
  TransportOptions options;
  EngineSettings settings;
  // The next fields apply to probes that run in their own process (probe_process.h).
  std::map<std::string, std::string> environment = {};  // Variables added to the agent's environment.
  std::int64_t deadline_ns = 8'000'000'000;
};
/// Request for the current time of this machine's clock.
struct ClockRequest {
  std::int64_t id = 0;
};
/// Launches that are open at the same time on this machine share its cores. `ranks` counts the ranks of all
/// these launches, this one included; the cores of the first `before` of them belong to other launches.
struct CoreSharing {
  int ranks = 0;   // Number of ranks of all these launches together; 0 = this launch is alone.
  int before = 0;  // Number of ranks whose cores come before this launch's.
};
/// CPUs and NUMA nodes that the controller has chosen for one rank, for example because the user named them.
struct RankPlacement {
  int rank = 0;
  std::vector<int> cpus;          // CPUs that the rank may use, ascending; empty = not bound.
  std::vector<int> memory_nodes;  // NUMA nodes of the rank's memory; empty = any.
};
struct LaunchRequest {
  int launch = 0;
  std::string engine;
  std::string transport;
  TransportOptions options;  // Options of the transport; each rank fills in `rank` and `ranks`.
  std::string algorithm;     // Algorithm of the engine; "" = chosen per size.
  EngineSettings settings;   // Settings of the engine, see EngineOptions::settings.
  int ranks = 0;
  std::vector<int> local_ranks;  // Ranks that this machine starts, ascending.
  /// CPUs and NUMA nodes of each local rank, in the order of local_ranks. Absent = the agent binds each rank
  /// to one core, if there are enough (cores.h).
  std::optional<std::vector<RankPlacement>> placements;
  /// True: the agent sends the output of the ranks and the logs of their engines as `output` messages.
  bool output = false;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> environment;
  CoreSharing together;
  /// Number of this launch among the repeated launches of the same measurement. If the machine has enough
  /// cores, each launch uses other cores than the one before (cores.h).
  int turn = 0;
  std::int64_t deadline_ns = 0;
};
struct ExchangedMessage {
  int launch = 0;
  std::string key;
  std::vector<std::string> data;  // Blobs of all ranks, by rank, as they sent them.
};
struct MeasureRequest {
  int launch = 0;
  MeasureSpec spec;
  std::int64_t deadline_ns = 0;
};
struct StopRequest {
  int launch = 0;
};
/// Request to start recording metrics of the machine (CPU time, network traffic, ...) every `interval_ns`.
struct SampleRequest {
  std::int64_t interval_ns = 0;
  std::vector<std::string> sources;  // Names from metrics/sources.cc; empty = all that this machine has.
  /// Ranks whose CPU time and memory are recorded while launches run them on this machine. Absent = as many
  /// ranks, from 0 on, as the machine has hardware threads, at most 64.
  std::optional<std::vector<int>> ranks;
};
struct UnsampleRequest {};
/// Request for facts about hardware and system settings that the message `hello` does not contain, such as
/// PCI devices. The agent answers with the message `facts`.
struct FactsRequest {
  std::int64_t id = 0;
  facts::FactsRequest request;
};
using ControllerMessage =
    std::variant<HelloRequest, BeatMessage, ClockRequest, ProbeRequest, LaunchRequest, ExchangedMessage,
                 MeasureRequest, StopRequest, SampleRequest, UnsampleRequest, FactsRequest,
                 ProbeListenerRequest, ReachabilityProbeRequest>;

/// Parses a line from the controller. @throws Error(kProtocol) naming the field, its value and the allowed
/// values
ControllerMessage parse_controller_message(const std::string& line);

// ---- rank to agent; private, since both sides are the same binary ----

struct RankExchange {
  std::string key, data;
};
struct RankIsReady {
  RankReady ready;
};
struct RankMeasured {
  std::uint64_t block = 0;
  std::string outcome_json;  // Outcome as JSON text, copied unchanged into `measured`.
};
struct RankFailed {
  std::string code, phase, message;
  /// CLOCK_MONOTONIC time in ns at which the error was raised. All ranks of the agent use this clock.
  std::int64_t raised_ns = 0;
};
using RankMessage = std::variant<RankExchange, RankIsReady, RankMeasured, RankFailed>;
/// Parses a line from a rank process. @throws Error(kProtocol) if it is not a valid message
RankMessage parse_rank_message(const std::string& line);
std::string to_line(const RankExchange& message);
std::string to_line(const RankIsReady& message);
std::string to_line(const RankMeasured& message);
std::string to_line(const RankFailed& message);

/// Returns the JSON text with one rank's samples, verification and counters of a block. The agent copies it
/// unchanged into the `measured` message.
std::string outcome_json(const RankOutcome& outcome);

// ---- agent to controller; every line ends in a newline ----

struct TransportCapability {
  std::string name, summary;
  Availability availability;
  /// `words`: last output lines of the process that made the test; `stack`: its stack if it crashed or hung.
  /// Both are empty if the test ran inside the agent.
  std::vector<std::string> words = {}, stack = {};
};
/// Parses the answer of a probe process (probe_process.h). @throws Error(kProtocol) if it is not a valid
/// message
TransportCapability parse_probed(const std::string& line);
struct ReadyRank {
  int rank = 0;
  std::int64_t pid = 0;
  std::optional<int> cpu;  // Core that the rank is bound to; absent = not bound.
  RankReady ready;
  // Binding as the kernel reports it (metrics/inventory.h): "0-3", "bind:0"; "" = not read.
  std::string cpus = {}, memory = {};
  // Cores that these CPUs belong to, each named by its lowest hardware thread: "0-3".
  std::string cores = {};
};
/// State of one rank at one moment: what it does, in which block, and how many operations it has done there.
/// Sent with the message `failed`; the watch of deadlines compares these states, too.
struct RankReport {
  int rank = 0;
  std::int64_t pid = 0;
  bool alive = false;
  std::string phase;
  std::uint64_t block = 0;
  std::int64_t iterations_done = 0;
  std::int64_t idle_ns = 0;  // Time since the rank last made progress.
  std::vector<std::string> stack, log_tail;
  std::vector<std::string> engine_tail = {};  // Last lines of the rank's engine log (engine_log.h).
};
enum class FailureKind : std::uint8_t { kRankDied, kRankError, kHang, kSetup };
inline constexpr std::string_view kFailureKinds[] = {"rank-died", "rank-error", "hang", "setup"};
/// Activity of a launch when it failed: starting its processes, connecting the ranks, idle between blocks, or
/// measuring a block.
enum class LaunchActivity : std::uint8_t { kStarting, kConnecting, kIdle, kMeasuring };
inline constexpr std::string_view kLaunchActivities[] = {"starting", "connecting", "idle", "measuring"};
/// Codes of hangs whose reason is known; other hangs have the code "timeout". "absent": the suspected rank is
/// not in the collective call in which all other ranks wait. "never_joined": the suspected rank has not
/// connected to the address at which the ranks meet.
inline constexpr const char* kAbsentCode = "absent";
inline constexpr const char* kNeverJoinedCode = "never_joined";
/// Report of one agent about a launch that failed. The controller compares the reports of all agents, to find
/// the first cause, and writes the text for users.
struct LaunchFailure {
  FailureKind kind = FailureKind::kSetup;
  std::string code;         // An error_code_name; the signal's name or "exit" of a death; a code of hangs
  std::optional<int> rank;  // The rank that this agent suspects.
  std::string phase;
  std::string
      reason;  // Text of the error that a rank, a library or the system raised; "" = a death or a hang
  std::vector<RankReport> ranks;
  LaunchActivity activity = LaunchActivity::kConnecting;
  std::optional<int> exit_status = {};  // of a rank that exited
  bool out_of_memory = false;           // the kernel killed a process for its memory during the launch
  char process_state = 0;               // of the suspect, from /proc/PID/stat; 0 = not read
  std::optional<std::int64_t> worker_pid = {};  // process of the framework that the suspect works through
  std::vector<InterfaceTraffic> traffic = {};
  bool watched_last_second = false;   // If false, InterfaceTraffic::last has no meaning.
  std::vector<std::string> ras = {};  // Answer of NCCL's RAS service (ras.h)
};

/// Ids by which the controller recognises agents that share a machine, its clock (CLOCK_MONOTONIC, one per
/// time namespace) or its network interfaces (one set per network namespace). See metrics::read_boot_id(),
/// read_clock_id() and read_network_id().
struct HostIdentity {
  std::string machine, clock, network;
};
HostIdentity read_host_identity();
std::string hello_line(std::span<const EngineEntry> engines,
                       const std::vector<TransportCapability>& transports,
                       const metrics::Inventory& inventory, const HostIdentity& place, std::int64_t clock_ns);
std::string clock_line(std::int64_t id, std::int64_t clock_ns);
std::string probed_line(std::int64_t id, const TransportCapability& transport);
std::string exchange_line(int launch, int rank, const RankExchange& exchange);
std::string ready_line(int launch, std::int64_t setup_ns, const std::vector<ReadyRank>& ranks);
std::string measured_line(int launch, std::uint64_t block, const std::vector<std::string>& outcomes,
                          const std::map<std::string, std::uint64_t>& interface_bytes);
std::string stopped_line(int launch);
std::string beat_line();
/// Returns the `progress` message: in this block, ranks of this agent have completed operations or changed
/// their phase since the last report. It keeps the controller from assuming a hang.
std::string progress_line(int launch, std::uint64_t block);
std::string facts_line(std::int64_t id, const facts::MachineFacts& facts);
std::string probe_listener_line(std::int64_t id, const ProbeListener& listener);
std::string probe_result_line(const ReachabilityProber::FinishedProbe& finished);
/// Returns the `output` message with text of a rank. @param from "stderr", or "engine" for the log of the
/// engine's libraries
std::string output_line(int launch, int rank, const char* from, const std::string& text);
std::string failed_line(int launch, const LaunchFailure& failure);

/// Cost of recording metrics, sent when recording ends: times at which the sources were read (`ticks`) or
/// should have been (`missed_ticks`), CPU time, memory, and how late readings were (`jitter_*`).
struct SamplingCost {
  std::uint64_t ticks = 0, missed_ticks = 0;
  std::int64_t cpu_ns = 0;          // CPU time for reading the sources and for sending the rows.
  std::int64_t resident_bytes = 0;  // Resident memory of the whole agent process.
  std::int64_t jitter_median_ns = 0, jitter_p99_ns = 0, jitter_max_ns = 0;
};
std::string sampling_line(std::int64_t interval_ns, const std::vector<metrics::MetricChannel>& channels,
                          const std::vector<metrics::SourceFailure>& failed);
/// Returns the `samples` message with the `count` oldest rows, which stay in the ring. A row has the values
/// of all metric channels at one time.
std::string samples_line(const metrics::RowRing& rows, std::size_t count);
std::string source_failed_line(const metrics::SourceFailure& failure);
std::string sampled_line(const SamplingCost& cost);

/// Returns the `log` message with a text about a rank. @param level "warn" or "info"
std::string log_line(const char* level, int launch, int rank, const std::string& text);

}  // namespace collbench::agent
