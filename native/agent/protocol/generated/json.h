// Generated from orchestration/protocol.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include "agent/protocol/json_value.h"
#include "agent/protocol/protocol.h"

namespace collbench {
constexpr std::string_view kMediums[] = {"hardware", "emulated", "unknown"};
static_assert(static_cast<int>(collbench::Medium::kHardware) == 0);
static_assert(static_cast<int>(collbench::Medium::kEmulated) == 1);
static_assert(static_cast<int>(collbench::Medium::kUnknown) == 2);
constexpr std::string_view kTrialKinds[] = {"isolated", "pipelined"};
static_assert(static_cast<int>(collbench::TrialKind::kIsolated) == 0);
static_assert(static_cast<int>(collbench::TrialKind::kPipelined) == 1);
constexpr std::string_view kLocalPaths[] = {"process-memory", "shared-memory", "gpu-stores", "nothing"};
static_assert(static_cast<int>(collbench::LocalPath::kProcessMemory) == 0);
static_assert(static_cast<int>(collbench::LocalPath::kSharedMemory) == 1);
static_assert(static_cast<int>(collbench::LocalPath::kGpuStores) == 2);
static_assert(static_cast<int>(collbench::LocalPath::kNothing) == 3);
constexpr std::string_view kDoorbellSides[] = {"cpu-threads", "gpu-kernels"};
static_assert(static_cast<int>(collbench::DoorbellSide::kCpuThreads) == 0);
static_assert(static_cast<int>(collbench::DoorbellSide::kGpuKernels) == 1);
constexpr std::string_view kDmaPaths[] = {"registered", "user-memory"};
static_assert(static_cast<int>(collbench::DmaPath::kRegistered) == 0);
static_assert(static_cast<int>(collbench::DmaPath::kUserMemory) == 1);
}  // namespace collbench

namespace collbench::agent {
void to_json(nlohmann::json& to, const EngineOffer& value);
void to_json(nlohmann::json& to, const TransportCapability& value);
void to_json(nlohmann::json& to, const AgentHello& value);
void to_json(nlohmann::json& to, const ClockEvent& value);
void to_json(nlohmann::json& to, const ProbedEvent& value);
void to_json(nlohmann::json& to, const ExchangeEvent& value);
void to_json(nlohmann::json& to, const ReadyRank& value);
void to_json(nlohmann::json& to, const ReadyEvent& value);
void to_json(nlohmann::json& to, const SamplingEvent& value);
void to_json(nlohmann::json& to, const SourceFailedEvent& value);
void to_json(nlohmann::json& to, const SamplingJitter& value);
void to_json(nlohmann::json& to, const SampledEvent& value);
void to_json(nlohmann::json& to, const StoppedEvent& value);
void to_json(nlohmann::json& to, const FailureKind& value);
void to_json(nlohmann::json& to, const LaunchActivity& value);
void to_json(nlohmann::json& to, const RankReport& value);
void to_json(nlohmann::json& to, const InterfaceTraffic& value);
void to_json(nlohmann::json& to, const LaunchFailure& value);
void to_json(nlohmann::json& to, const OutputEvent& value);
void to_json(nlohmann::json& to, const FactsEvent& value);
void to_json(nlohmann::json& to, const ProbeListener& value);
void to_json(nlohmann::json& to, const ReachabilityProbeResult& value);
void to_json(nlohmann::json& to, const ConnectionsEvent& value);
void to_json(nlohmann::json& to, const BeatEvent& value);
void to_json(nlohmann::json& to, const ProgressEvent& value);
void to_json(nlohmann::json& to, const LogEvent& value);
void to_json(nlohmann::json& to, const FirstWrong& value);
void to_json(nlohmann::json& to, const LoadOutcome& value);
void to_json(nlohmann::json& to, const RankOutcome& value);
}  // namespace collbench::agent

namespace collbench {
void to_json(nlohmann::json& to, const collbench::Medium& value);
void to_json(nlohmann::json& to, const collbench::LocalPath& value);
void to_json(nlohmann::json& to, const collbench::DoorbellSide& value);
void to_json(nlohmann::json& to, const collbench::DmaPath& value);
void to_json(nlohmann::json& to, const collbench::TransportDetail& value);
}  // namespace collbench

namespace collbench::metrics {
void to_json(nlohmann::json& to, const metrics::InterfaceInfo& value);
void to_json(nlohmann::json& to, const metrics::Inventory& value);
void to_json(nlohmann::json& to, const metrics::NumaNode& value);
void to_json(nlohmann::json& to, const metrics::MetricChannel& value);
void to_json(nlohmann::json& to, const metrics::SourceFailure& value);
}  // namespace collbench::metrics

namespace collbench::facts {
void to_json(nlohmann::json& to, const facts::Files& value);
void to_json(nlohmann::json& to, const facts::Live& value);
void to_json(nlohmann::json& to, const facts::GpuFacts& value);
void to_json(nlohmann::json& to, const facts::Nvml& value);
void to_json(nlohmann::json& to, const facts::LibraryFacts& value);
void to_json(nlohmann::json& to, const facts::MachineFacts& value);
}  // namespace collbench::facts

namespace collbench::agent {
Axes read_axes(const JsonValue& from);
TransportOptions read_transport_options(const JsonValue& from);
std::vector<int> read_number_list(const JsonValue& from);
void finish(const JsonValue& from, ProbeRequest& to);
void finish(const JsonValue& from, LaunchRequest& to);
void finish(const JsonValue& from, MeasureRequest& to);
void finish(const JsonValue& from, SampleRequest& to);

HelloRequest read_hello_request(const JsonValue& from);
BeatRequest read_beat_request(const JsonValue& from);
ClockRequest read_clock_request(const JsonValue& from);
ProbeRequest read_probe_request(const JsonValue& from);
RankPlacement read_rank_placement(const JsonValue& from);
CoreSharing read_core_sharing(const JsonValue& from);
LaunchRequest read_launch_request(const JsonValue& from);
ExchangedMessage read_exchanged_message(const JsonValue& from);
MeasureRequest read_measure_request(const JsonValue& from);
SampleRequest read_sample_request(const JsonValue& from);
UnsampleRequest read_unsample_request(const JsonValue& from);
StopRequest read_stop_request(const JsonValue& from);
FactsRequest read_facts_request(const JsonValue& from);
ListenerRequest read_listener_request(const JsonValue& from);
ProbeTarget read_probe_target(const JsonValue& from);
ReachabilityProbeRequest read_reachability_probe_request(const JsonValue& from);
collbench::TransportDetail read_transport_detail(const JsonValue& from);
TransportCapability read_transport_capability(const JsonValue& from);
}  // namespace collbench::agent
