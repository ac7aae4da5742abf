// Messages about the machine: facts, reachability and metric samples.
#include <charconv>
#include <cmath>

#include "agent/protocol/protocol.h"
#include "agent/protocol/protocol_json.h"

namespace collbench::agent {
namespace {

json to_json(const facts::Files& files) {
  return {{"text", files.text},
          {"links", files.links},
          {"denied", files.denied},
          {"cut", files.cut},
          {"full", files.full}};
}

json to_json(const facts::Live& live) {
  return {{"glibc", live.glibc},
          {"shmBytes", known(live.shm_bytes)},
          {"shmFreeBytes", known(live.shm_free_bytes)},
          {"clockSynchronised", live.clock_synchronised ? json(*live.clock_synchronised) : json()},
          {"clockMaxErrorUs", live.clock_max_error_us},
          {"root", live.root},
          {"statLater", live.stat_later},
          {"environment", live.environment}};
}

json to_json(const facts::Nvml& nvml) {
  json gpus = json::array();
  for (const facts::GpuFacts& gpu : nvml.gpus)
    gpus.push_back({{"pci", gpu.pci},
                    {"name", gpu.name},
                    {"linkWidth", known(gpu.link_width)},
                    {"linkWidthMax", known(gpu.link_width_max)},
                    {"linkGeneration", known(gpu.link_generation)},
                    {"linkGenerationMax", known(gpu.link_generation_max)},
                    {"processes", known(gpu.processes)},
                    {"memoryBytes", known(gpu.memory_bytes)},
                    {"memoryUsedBytes", known(gpu.memory_used_bytes)},
                    {"persistence", known(gpu.persistence)},
                    {"nvlinks", known(gpu.nvlinks)},
                    {"nvlinkMBps", known(gpu.nvlink_mbps)},
                    {"nvlinkEnds", gpu.nvlink_ends}});
  return {{"missing", nvml.missing}, {"driver", nvml.driver}, {"gpus", gpus}};
}

json to_json(const facts::LibraryFacts& library) {
  return {{"name", library.name},        {"path", library.path},   {"problem", library.problem},
          {"buildId", library.build_id}, {"bytes", library.bytes}, {"sha256", library.sha256},
          {"symbols", library.symbols}};
}

json to_json(const metrics::SourceFailure& failure) {
  return {{"source", failure.source}, {"reason", failure.reason}};
}

/// Appends a number to JSON text; most are whole numbers. A value that is missing (NaN) becomes null.
void append_number(std::string& text, double value) {
  constexpr double kExactBelow = 9007199254740992.0;  // 2^53: doubles below it represent integers exactly.
  char digits[32];
  if (!std::isfinite(value)) {
    text += "null";
  } else if (std::abs(value) < kExactBelow && value == std::trunc(value)) {
    const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr;
    text.append(digits, end);
  } else {
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

}  // namespace

std::string facts_line(std::int64_t id, const facts::MachineFacts& facts) {
  json libraries = json::array();
  for (const facts::LibraryFacts& library : facts.libraries) libraries.push_back(to_json(library));
  return dump_line({{"type", "facts"},
                    {"id", id},
                    {"facts",
                     {{"files", to_json(facts.files)},
                      {"live", facts.live ? to_json(*facts.live) : json()},
                      {"nvml", facts.nvml ? to_json(*facts.nvml) : json()},
                      {"libraries", libraries}}}});
}

std::string probe_listener_line(std::int64_t id, const ProbeListener& listener) {
  return dump_line({{"type", "listener"},
                    {"id", id},
                    {"interface", listener.interface_name},
                    {"address", listener.address},
                    {"port", listener.port},
                    {"problem", listener.problem},
                    {"realtimeNs", listener.realtime_ns}});
}

std::string probe_result_line(const ReachabilityProber::FinishedProbe& finished) {
  json results = json::array();
  for (const ReachabilityProbeResult& one : finished.results)
    results.push_back({{"outcome", one.outcome},
                       {"detail", one.detail},
                       {"connectNs", one.connect_ns},
                       {"elapsedNs", one.elapsed_ns},
                       {"pathMtu", known(one.path_mtu)},
                       {"segmentBytes", known(one.segment_bytes)}});
  return dump_line({{"type", "connections"}, {"id", finished.id}, {"results", results}});
}

std::string sampling_line(std::int64_t interval_ns, const std::vector<metrics::MetricChannel>& channels,
                          const std::vector<metrics::SourceFailure>& failed) {
  json list = json::array(), absent = json::array();
  for (const metrics::MetricChannel& one : channels)
    list.push_back({{"name", one.name}, {"unit", one.unit}, {"cumulative", one.cumulative}});
  for (const metrics::SourceFailure& one : failed) absent.push_back(to_json(one));
  return dump_line(
      {{"type", "sampling"}, {"intervalUs", interval_ns / 1000}, {"channels", list}, {"failed", absent}});
}

// Writes the JSON text by hand, because this is the only message whose length grows with time.
std::string samples_line(const metrics::RowRing& rows, std::size_t count) {
  std::string starts, costs, values;
  values.reserve(count * (4 * rows.columns() + 2));
  for (std::size_t i = 0; i < count; ++i) {
    const metrics::RowRing::Row& row = rows.at(i);
    const char* comma = i == 0 ? "" : ",";
    starts += comma + std::to_string(row.start_ns);
    costs += comma + std::to_string(row.cost_ns);
    values += i == 0 ? "[" : ",[";
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      if (c > 0) values += ',';
      append_number(values, row.values[c]);
    }
    values += ']';
  }
  return R"({"type":"samples","startNs":[)" + starts + R"(],"costNs":[)" + costs + R"(],"values":[)" +
         values + "]}\n";
}

std::string source_failed_line(const metrics::SourceFailure& failure) {
  return dump_line({{"type", "sourceFailed"}, {"source", failure.source}, {"reason", failure.reason}});
}

std::string sampled_line(const SamplingCost& cost) {
  return dump_line(
      {{"type", "sampled"},
       {"ticks", cost.ticks},
       {"missedTicks", cost.missed_ticks},
       {"cpuNs", cost.cpu_ns},
       {"residentBytes", cost.resident_bytes},
       {"jitterNs",
        {{"median", cost.jitter_median_ns}, {"p99", cost.jitter_p99_ns}, {"max", cost.jitter_max_ns}}}});
}

}  // namespace collbench::agent
