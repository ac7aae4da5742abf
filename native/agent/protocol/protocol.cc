// Messages that are not generated: `hello` joins facts of several rooms, `measured` and `samples` are long.
#include "agent/protocol/protocol.h"

#include <charconv>
#include <cmath>

#include "agent/protocol/json_value.h"

namespace collbench::agent {
namespace {

/// Appends a number to JSON text; most are whole numbers. A value that is missing (NaN) or infinite becomes
/// null.
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

HostIdentity read_host_identity() {
  return {metrics::read_boot_id(), metrics::read_clock_id(), metrics::read_network_id()};
}

std::string hello_line(std::span<const EngineEntry> engines, std::vector<TransportCapability> transports,
                       const metrics::Inventory& inventory, const HostIdentity& place,
                       std::int64_t clock_ns) {
  AgentHello hello{kProtocolVersion, kVersion, {}, std::move(transports), inventory, place, clock_ns};
  for (const EngineEntry& one : engines) hello.engines.push_back({std::string(one.name), offers_of(one)});
  return to_line(hello);
}

std::string measured_line(int launch, std::uint64_t block, const std::vector<std::string>& outcomes,
                          const std::map<std::string, std::uint64_t>& interface_bytes) {
  std::string ranks;
  for (const std::string& outcome : outcomes) ranks += (ranks.empty() ? "" : ",") + outcome;
  return R"({"type":"measured","launch":)" + std::to_string(launch) + R"(,"block":)" + std::to_string(block) +
         R"(,"ranks":[)" + ranks + R"(],"interfaceBytes":)" + json(interface_bytes).dump() + "}\n";
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

}  // namespace collbench::agent
