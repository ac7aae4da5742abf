// Messages between ranks and their agent.
#include "agent/protocol/generated/json.h"

namespace collbench::agent {

RankMessage parse_rank_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonValue(message, "message").at("type").text();
  const JsonValue from(message, type);
  const auto text = [&](const char* name) { return from.at(name).text(); };
  if (type == "exchange") return RankExchange{text("key"), text("data")};
  if (type == "ready")
    return RankIsReady{{text("device"), read_transport_detail(from.at("detail")),
                        from.at("medium").choice<Medium>(kMediums),
                        from.at("facts").map([](const JsonValue& one) { return one.text(); }),
                        from.at("unbound").boolean()}};
  if (type == "measured")
    return RankMeasured{from.at("block").integer<std::uint64_t>(0), from.at("outcome").raw().dump()};
  if (type == "error")
    return RankFailed{text("code"), text("phase"), text("message"),
                      from.at("raisedNs").integer<std::int64_t>()};
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) + "' from a rank is unknown");
}

TransportCapability parse_probed(const std::string& line) {
  const json message = parse_line(line);
  return read_transport_capability(JsonValue(message, "probed").at("transport"));
}

std::string to_line(const RankExchange& m) {
  return dump_line({{"type", "exchange"}, {"key", m.key}, {"data", m.data}});
}
std::string to_line(const RankIsReady& m) {
  return dump_line({{"type", "ready"},
                    {"device", m.ready.device},
                    {"detail", m.ready.detail},
                    {"medium", m.ready.medium},
                    {"facts", m.ready.facts},
                    {"unbound", m.ready.unbound}});
}
std::string to_line(const RankMeasured& m) {
  return R"({"type":"measured","block":)" + std::to_string(m.block) + R"(,"outcome":)" + m.outcome_json +
         "}\n";
}
std::string to_line(const RankFailed& m) {
  return dump_line({{"type", "error"},
                    {"code", m.code},
                    {"phase", m.phase},
                    {"message", m.message},
                    {"raisedNs", m.raised_ns}});
}

std::string outcome_json(const RankOutcome& outcome) {
  json text = outcome;
  text["clock"] = outcome.samples.device_clock ? "device" : "host";
  json& counters = text["counters"];
  if (outcome.counters.flagged_sent > 0) counters["flaggedSent"] = outcome.counters.flagged_sent;
  if (outcome.sockets) counters["socketBytesReceived"] = outcome.sockets->bytes;
  if (outcome.sockets && outcome.sockets->gone > 0) counters["socketsGone"] = outcome.sockets->gone;
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace collbench::agent
