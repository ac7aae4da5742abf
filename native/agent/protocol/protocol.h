#pragma once
// orchestration/protocol.ts in C++: one JSON object per line (native/contract compares the two). The
// controller's messages are parsed here once; the agent passes launch, exchanged, measure and stop to its
// ranks unchanged, so a rank parses them with the same code. JSON stays inside protocol*.cc, which are slow
// to compile.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/forensics/reach.h"
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

// ---- controller to agent (and on to the ranks) ----

struct HelloRequest {
  int protocol = 0;
  std::string log_level;  // warn, info, debug or empty
  /// Both sides say `beat` this often; the agent leaves when nothing at all was heard for kBeatsMissed of it.
  /// 0 = no beats: the end of stdin says enough where the controller is on this machine.
  std::int64_t beat_ns = 0;
};
/// A sign of life.
struct BeatMessage {};
inline constexpr int kBeatsMissed = 6;
struct ProbeRequest {
  std::int64_t id = 0;
  std::string engine;     // "" = cpu
  std::string transport;  // "plugin" for "plugin:PATH", the path is in options.library then
  TransportOptions options;
  Settings settings;
  // Where a process of its own is asked (probing.h):
  std::map<std::string, std::string> environment = {};  // on top of the agent's
  std::int64_t deadline_ns = 8'000'000'000;
};
/// Asks what the clock of the machine shows.
struct ClockRequest {
  std::int64_t id = 0;
};
/// Launches that measure at the same time on one machine share its cores.
struct Together {
  int ranks = 0;   // of all of them; 0 = this launch is alone
  int before = 0;  // of those that have their cores before this one
};
/// Where one rank may run.
struct RankPlace {
  int rank = 0;
  std::vector<int> cpus;          // ascending; empty = not bound
  std::vector<int> memory_nodes;  // NUMA nodes of its memory; empty = anywhere
};
struct LaunchRequest {
  int launch = 0;
  std::string engine;
  std::string transport;
  TransportOptions options;  // rank and ranks are filled in by the rank
  std::string algorithm;     // "" = chosen per size
  Settings settings;         // EngineOptions::settings
  int ranks = 0;
  std::vector<int> local_ranks;  // ascending, those this machine starts
  /// In the order of local_ranks; absent = each rank on a core of its own where there are enough (cores.h).
  std::optional<std::vector<RankPlace>> places;
  bool output = false;  // what ranks write, and the logs of their engines, are wanted as `output`
  std::uint64_t seed = 0;
  std::map<std::string, std::string> environment;
  Together together;
  int turn = 0;  // which launch of its series: the next one has other cores where there are more (cores.h)
  std::int64_t deadline_ns = 0;
};
struct ExchangedMessage {
  int launch = 0;
  std::string key;
  std::vector<std::string> data;  // by rank, as the ranks sent them
};
struct MeasureRequest {
  int launch = 0;
  MeasureSpec spec;
  std::int64_t deadline_ns = 0;
};
struct StopRequest {
  int launch = 0;
};
/// Begin to sample what the machine does (sampling.h).
struct SampleRequest {
  std::int64_t interval_ns = 0;
  std::vector<std::string> sources;  // of metrics/sources.cc; empty = all that this machine has
  /// Ranks whose processes are followed: those that launches will start here. Absent = 0, 1, ... per core.
  std::optional<std::vector<int>> ranks;
};
struct UnsampleRequest {};
/// What the machine is made of, beyond the inventory of `hello`.
struct FactsRequest {
  std::int64_t id = 0;
  facts::Request request;
};
using ControllerMessage = std::variant<HelloRequest, BeatMessage, ClockRequest, ProbeRequest, LaunchRequest,
                                       ExchangedMessage, MeasureRequest, StopRequest, SampleRequest,
                                       UnsampleRequest, FactsRequest, DoorRequest, KnockRequest>;

/// @throws Error(kProtocol) naming the field, what it held and what is allowed
ControllerMessage parse_controller_message(const std::string& line);

// ---- rank to agent (private to the two, same binary on both sides) ----

struct RankExchange {
  std::string key, data;
};
struct RankIsReady {
  RankReady ready;
};
struct RankMeasured {
  std::uint64_t block = 0;
  std::string outcome_json;  // spliced into `measured` as it is
};
struct RankFailed {
  std::string code, phase, message;
  std::int64_t raised_ns = 0;  // CLOCK_MONOTONIC of the machine that all ranks of the agent share
};
using RankMessage = std::variant<RankExchange, RankIsReady, RankMeasured, RankFailed>;
/// @throws Error(kProtocol)
RankMessage parse_rank_message(const std::string& line);
std::string to_line(const RankExchange& message);
std::string to_line(const RankIsReady& message);
std::string to_line(const RankMeasured& message);
std::string to_line(const RankFailed& message);

/// A rank's part of `measured` as JSON text.
std::string outcome_json(const RankOutcome& outcome);

// ---- agent to controller; every line ends in a newline ----

struct TransportCapability {
  std::string name, summary;
  Availability availability;
  /// Of the process that was asked, where it was one of its own: what it wrote last, and where it stood when
  /// it crashed or hung.
  std::vector<std::string> words = {}, stack = {};
};
/// What a process said that asked (probing.h). @throws Error(kProtocol)
TransportCapability parse_probed(const std::string& line);
struct ReadyRank {
  int rank = 0;
  std::int64_t pid = 0;
  std::optional<int> cpu;  // the core it is bound to; absent = not bound
  RankReady ready;
  // As the kernel tells (metrics/inventory.h): "0-3", "bind:0"; "" = not asked.
  std::string cpus = {}, memory = {};
  // The cores that the CPUs belong to, each by its lowest hardware thread: "0-3".
  std::string cores = {};
};
/// Where a rank stood when its launch ended.
struct RankReport {
  int rank = 0;
  std::int64_t pid = 0;
  bool alive = false;
  std::string phase;
  std::uint64_t block = 0;
  std::int64_t iterations_done = 0;
  std::int64_t idle_ns = 0;  // since it last made progress
  std::vector<std::string> stack, log_tail;
  std::vector<std::string> engine_tail = {};  // of what libraries of its engine logged (engine_log.h)
};
enum class FailureKind : std::uint8_t { kRankDied, kRankError, kHang, kSetup };
inline constexpr std::string_view kFailureKinds[] = {"rank-died", "rank-error", "hang", "setup"};
/// What the launch was doing when it failed.
enum class LaunchActivity : std::uint8_t { kStarting, kConnecting, kIdle, kMeasuring };
inline constexpr std::string_view kLaunchActivities[] = {"starting", "connecting", "idle", "measuring"};
/// Codes of hangs besides "timeout". Slow: ranks still made progress at the deadline. Absent: the suspect is
/// not in the call in which the others wait. Never joined: it has not reached the rendezvous of all ranks.
inline constexpr const char* kSlowCode = "slow";
inline constexpr const char* kAbsentCode = "absent";
inline constexpr const char* kNeverJoinedCode = "never_joined";
/// How a launch ended badly, as data: the controller compares hosts and writes the sentences.
struct LaunchFailure {
  FailureKind kind = FailureKind::kSetup;
  std::string code;         // error_code_name; the signal's name or "exit" of a death; a code of hangs
  std::optional<int> rank;  // the rank that this agent suspects
  std::string phase;
  std::string
      reason;  // text of the error that a rank, a library or the system raised; "" = a death or a hang
  std::vector<RankReport> ranks;
  LaunchActivity activity = LaunchActivity::kConnecting;
  std::optional<int> exit_status = {};  // of a rank that exited
  bool out_of_memory = false;           // the kernel killed a process for its memory during the launch
  char process_state = 0;               // of the suspect, from /proc/PID/stat; 0 = not read
  std::optional<std::int64_t> worker_pid = {};  // process of the framework that the suspect works through
  std::vector<InterfaceTraffic> traffic = {};
  bool watched_last_second = false;   // else InterfaceTraffic::last says nothing
  std::vector<std::string> ras = {};  // answer of NCCL's RAS service (ras.h)
};

/// Where an agent is: see metrics::read_boot_id and read_clock_id.
struct Place {
  std::string machine, clock, network;
};
Place read_place();
std::string hello_line(std::span<const EngineEntry> engines,
                       const std::vector<TransportCapability>& transports,
                       const metrics::Inventory& inventory, const Place& place, std::int64_t clock_ns);
std::string clock_line(std::int64_t id, std::int64_t clock_ns);
std::string probed_line(std::int64_t id, const TransportCapability& transport);
std::string exchange_line(int launch, int rank, const RankExchange& exchange);
std::string ready_line(int launch, std::int64_t setup_ns, const std::vector<ReadyRank>& ranks);
std::string measured_line(int launch, std::uint64_t block, const std::vector<std::string>& outcomes,
                          const std::map<std::string, std::uint64_t>& interface_bytes);
std::string stopped_line(int launch);
std::string beat_line();
std::string facts_line(std::int64_t id, const facts::MachineFacts& facts);
std::string door_line(std::int64_t id, const Door& door);
std::string knocked_line(const Reach::Knocked& knocked);
/// @param from "stderr", or "engine": the log of its libraries
std::string output_line(int launch, int rank, const char* from, const std::string& text);
std::string failed_line(int launch, const LaunchFailure& failure);

/// What sampling cost, said at its end.
struct SamplingCost {
  std::uint64_t ticks = 0, missed_ticks = 0;
  std::int64_t cpu_ns = 0;          // of reading and of telling
  std::int64_t resident_bytes = 0;  // of the agent process, all included
  std::int64_t jitter_median_ns = 0, jitter_p99_ns = 0, jitter_max_ns = 0;
};
std::string sampling_line(std::int64_t interval_ns, const std::vector<metrics::Channel>& channels,
                          const std::vector<metrics::SourceFailure>& failed);
/// The oldest `count` rows.
std::string samples_line(const metrics::RowRing& rows, std::size_t count);
std::string source_failed_line(const metrics::SourceFailure& failure);
std::string sampled_line(const SamplingCost& cost);

/// @param level "warn" or "info"
std::string log_line(const char* level, int launch, int rank, const std::string& text);

}  // namespace collbench::agent
