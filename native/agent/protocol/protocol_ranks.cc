// Messages between ranks and their agent.
#include "agent/protocol/protocol.h"
#include "agent/protocol/protocol_json.h"

namespace collbench::agent {
namespace {

json counters_json(const TransportCounters& counters) {
  json text = {{"bytesSent", counters.bytes_sent},
               {"bytesReceived", counters.bytes_received},
               {"messagesSent", counters.messages_sent},
               {"messagesReceived", counters.messages_received}};
  if (counters.flagged_sent > 0) text["flaggedSent"] = counters.flagged_sent;
  return text;
}

json load_json(const LoadOutcome& load) {
  return {{"workers", load.workers},  {"aloneUnits", load.alone_units},
          {"aloneNs", load.alone_ns}, {"timedUnits", load.timed_units},
          {"timedNs", load.timed_ns}, {"moved", counters_json(load.moved)}};
}

}  // namespace

RankMessage parse_rank_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonFields(message, "message").text("type");
  const JsonFields fields(message, type);
  if (type == "exchange") return RankExchange{fields.text("key"), fields.text("data")};
  if (type == "ready")
    return RankIsReady{{fields.text("device"), fields.text("detail"), medium_of(fields.text("medium")),
                        fields.at("facts").get<std::map<std::string, std::string>>(),
                        fields.boolean("unbound")}};
  if (type == "measured")
    return RankMeasured{fields.natural<std::uint64_t>("block"), fields.at("outcome").dump()};
  if (type == "error")
    return RankFailed{fields.text("code"), fields.text("phase"), fields.text("message"),
                      fields.natural<std::int64_t>("raisedNs")};
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) + "' from a rank is unknown");
}

TransportCapability parse_probed(const std::string& line) {
  const json message = parse_line(line);
  const JsonFields fields = JsonFields(message, "probed").object("transport");
  return {fields.text("name"),
          fields.text("summary"),
          {fields.boolean("available"), medium_of(fields.text("medium")), fields.text("detail"),
           fields.text("reason"), fields.text("remedy"),
           fields.at("facts").get<std::map<std::string, std::string>>()}};
}

std::string to_line(const RankExchange& m) {
  return dump_line({{"type", "exchange"}, {"key", m.key}, {"data", m.data}});
}
std::string to_line(const RankIsReady& m) {
  return dump_line({{"type", "ready"},
                    {"device", m.ready.device},
                    {"detail", m.ready.detail},
                    {"medium", medium_name(m.ready.medium)},
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
  json first;
  if (outcome.wrong.first) {
    const FirstWrong& f = *outcome.wrong.first;
    first = {{"iteration", f.iteration},
             {"index", f.index},
             {"wanted", f.wanted},
             {"got", f.got},
             {"note", f.note}};
  }
  json text = {{"rank", outcome.rank},
               {"algorithm", outcome.choice.algorithm},
               {"protocol", outcome.choice.protocol},
               {"paths", outcome.paths},
               {"clock", outcome.samples.device_clock ? "device" : "host"},
               {"markNs", outcome.samples.mark_ns},
               {"columns", outcome.samples.columns},
               {"enqueueNs", outcome.samples.enqueue_ns},
               {"batch", outcome.samples.batch},
               {"operations", outcome.operations},
               {"windowNs", outcome.samples.window_ns},
               {"commonStartNs", outcome.samples.common_start_ns},
               {"startNs", outcome.samples.start_ns},
               {"endNs", outcome.samples.end_ns},
               {"late", outcome.samples.late},
               {"warmupNs", outcome.samples.warmup_ns},
               {"checks", outcome.checks},
               {"checkingNs", outcome.samples.checking_ns},
               {"wrong",
                {{"wrongElements", outcome.wrong.wrong_elements},
                 {"comparedElements", outcome.wrong.compared_elements},
                 {"first", first}}},
               {"counters", counters_json(outcome.counters)}};
  if (outcome.load) text["beside"] = load_json(*outcome.load);
  if (outcome.sockets) text["counters"]["socketBytesReceived"] = outcome.sockets->bytes;
  if (outcome.sockets && outcome.sockets->gone > 0) text["counters"]["socketsGone"] = outcome.sockets->gone;
  // These fields are sent only if the launch spans machines; their absence means one clock.
  if (outcome.samples.clock_offset_ns) text["clockOffsetNs"] = *outcome.samples.clock_offset_ns;
  if (outcome.samples.clock_uncertainty_ns)
    text["clockUncertaintyNs"] = *outcome.samples.clock_uncertainty_ns;
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace collbench::agent
