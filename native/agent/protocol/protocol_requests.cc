// Parts of the controller's requests whose meaning their schema cannot express.
#include <set>

#include "agent/protocol/generated/json.h"
#include "metrics/parse.h"

namespace collbench::agent {

TransportOptions read_transport_options(const JsonValue& from) {
  TransportOptions options;
  const auto values = from.map([](const JsonValue& one) { return one; });
  for (const auto& [name, value] : values) {
    if (name == "interface")
      options.interface_name = value.text();
    else if (name == "token")
      options.token = value.text();
    else if (name == "streams")
      options.streams = value.integer<int>(0, 64);
    else if (name == "bufferBytes")
      options.buffer_bytes = value.integer<int>(0);
    else if (name == "queue")
      options.queue = value.text();
    else if (name == "link")
      options.link = value.text();
    else if (name == "fault")
      options.fault = value.text();
    else if (name == "library")
      options.library = value.text();
    else if (name == "pathProof")
      options.path_proof = value.boolean();
    else
      throw Error(ErrorCode::kProtocol, value.path() +
                                            " is no transport option; there are: interface, token, " +
                                            "streams, bufferBytes, queue, link, fault, library, pathProof");
  }
  return options;
}

/// Reads the axis values (parameters of the workload) in a `measure` message. Whether they make sense is
/// checked by the workload.
Axes read_axes(const JsonValue& from) {
  return Axes(from.map([](const JsonValue& one) -> AxisValue {
    const json& value = one.raw();
    if (value.is_boolean()) return one.boolean();
    if (value.is_string()) return one.text();
    if (value.is_number()) return one.integer<std::int64_t>();
    if (!value.is_null()) one.fail("a string, an integer, true, false or null");
    return {};
  }));
}

std::vector<int> read_number_list(const JsonValue& from) {
  const auto numbers = metrics::parse_list(from.text());
  if (!numbers) from.fail("a list such as 0-3,8");
  return *numbers;
}

namespace {

/// Divides "plugin:PATH" into the transport "plugin" and options.library with the path; other transports are
/// not changed.
void split_plugin(std::string& transport, TransportOptions& options) {
  constexpr std::string_view kPrefix = "plugin:";
  if (!transport.starts_with(kPrefix)) return;
  options.library = transport.substr(kPrefix.size());
  transport = "plugin";
}

void check_names(const JsonValue& from, const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment)
    if (name.empty() || name.find('=') != std::string::npos)
      JsonValue(json(name), from.path() + ".environment").fail("names without '='");
}

}  // namespace

void finish(const JsonValue& from, ProbeRequest& probe) {
  split_plugin(probe.transport, probe.options);
  check_names(from, probe.environment);
}

void finish(const JsonValue& from, LaunchRequest& launch) {
  split_plugin(launch.transport, launch.options);
  check_names(from, launch.environment);
  std::vector<int>& local = launch.local_ranks;
  local =
      from.at("localRanks").list([&](const JsonValue& one) { return one.integer<int>(0, launch.ranks - 1); });
  std::sort(local.begin(), local.end());
  if (std::adjacent_find(local.begin(), local.end()) != local.end())
    from.at("localRanks").fail("different ranks");
  if (launch.placements) {
    std::vector<RankPlacement>& placements = *launch.placements;
    std::sort(placements.begin(), placements.end(),
              [](const RankPlacement& a, const RankPlacement& b) { return a.rank < b.rank; });
    const auto is_rank = [](const RankPlacement& place, int rank) { return place.rank == rank; };
    if (!std::equal(placements.begin(), placements.end(), local.begin(), local.end(), is_rank))
      from.at("placements").fail("one for each of localRanks");
  }
  if (launch.together) {
    const auto own = static_cast<std::int64_t>(local.size());
    const JsonValue together = from.at("together");
    const auto ranks = together.at("ranks").integer<std::int64_t>(own);
    launch.together->before = together.at("before").integer<int>(0, ranks - own);
  }
}

void finish(const JsonValue& from, MeasureRequest& measure) {
  const TrialSpec& trial = measure.spec.trial;
  if (trial.max_samples < trial.min_samples)
    from.at("trial").at("maxSamples").fail("at least minSamples (" + std::to_string(trial.min_samples) + ")");
}

void finish(const JsonValue& from, SampleRequest& sample) {
  const std::set<int> different(sample.ranks.begin(), sample.ranks.end());
  if (different.size() != sample.ranks.size()) from.at("ranks").fail("different ranks");
  sample.ranks.assign(different.begin(), different.end());
}

}  // namespace collbench::agent
