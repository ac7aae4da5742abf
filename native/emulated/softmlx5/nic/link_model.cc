#include "emulated/softmlx5/nic/link_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "emulated/softcard/switches.h"

namespace collbench::softmlx5 {
namespace {

constexpr std::array<LinkModelRow, 4> kModels{{
    {"none", 0, 0, 0, "no pacing: memory speed"},
    {"edr-100", 100, 0.75, 200, "ConnectX-5, 100 Gb/s: 12.4 GB/s per direction"},
    {"hdr-200", 200, 0.6, 215, "ConnectX-6, 200 Gb/s: 24.8 GB/s per direction"},
    {"ndr-400", 400, 0.6, 330, "ConnectX-7, 400 Gb/s: 49.6 GB/s per direction"},
}};

constexpr double kPayloadShare = 4096.0 / (4096 + 30);

std::optional<LinkModel> parse_custom(std::string_view parameters, std::string* problem) {
  LinkModel model;
  model.name = "custom:" + std::string(parameters);
  double latency_us = 0, message_rate_m = 0, reconnect_us = 0;
  const softcard::LinkParameter allowed[] = {{"gbps", &model.bytes_per_ns},
                                             {"latency-us", &latency_us},
                                             {"message-rate-m", &message_rate_m},
                                             {"dc-reconnect-us", &reconnect_us}};
  if (!softcard::read_link_parameters(parameters, allowed, problem)) return std::nullopt;
  model.gbitps = model.bytes_per_ns * 8;
  model.latency_ns = latency_us * 1e3;
  model.message_ns = message_rate_m > 0 ? 1e3 / message_rate_m : 0;
  model.dc_reconnect_ns = reconnect_us * 1e3;
  return model;
}

}  // namespace

std::int64_t LinkModel::wire_ns(std::uint64_t bytes) const noexcept {
  const double busy = bytes_per_ns > 0 ? static_cast<double>(bytes) / bytes_per_ns : 0;
  return static_cast<std::int64_t>(std::ceil(std::max(busy, message_ns)));
}

void LinkModel::slow_down(double factor) {
  if (factor <= 1) return;
  constexpr double kMemoryBytesPerNs = 8;
  name += " slowed by fault";
  bytes_per_ns = (bytes_per_ns > 0 ? bytes_per_ns : kMemoryBytesPerNs) / factor;
  for (double* cost : {&latency_ns, &message_ns, &dc_reconnect_ns}) *cost *= factor;
}

std::span<const LinkModelRow> link_model_table() noexcept { return kModels; }

std::optional<LinkModel> parse_link_model(std::string_view text, std::string* problem) {
  if (text.empty()) return LinkModel{};
  constexpr std::string_view kCustom = "custom:";
  if (text.substr(0, kCustom.size()) == kCustom) return parse_custom(text.substr(kCustom.size()), problem);
  std::string names;
  for (const LinkModelRow& row : kModels) {
    names += std::string(row.name) + ", ";
    if (text != row.name) continue;
    LinkModel model;
    if (row.gbitps <= 0) return model;
    model.name = row.name;
    model.gbitps = row.gbitps;
    model.bytes_per_ns = row.gbitps / 8 * kPayloadShare;
    model.latency_ns = row.latency_us * 1e3;
    model.message_ns = 1e3 / row.million_messages_per_s;
    model.dc_reconnect_ns = 2 * model.latency_ns;
    return model;
  }
  *problem = "unknown link model '" + std::string(text) + "'; allowed: " + names +
             "custom:gbps=..,latency-us=..,message-rate-m=..,dc-reconnect-us=..";
  return std::nullopt;
}

}  // namespace collbench::softmlx5
