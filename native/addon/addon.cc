// collbench.node: entry point, and what the machine can do. The typed side is index.ts; nothing here is
// public.
#include "addon/bindings.h"
#include "agent/protocol/protocol.h"
#include "core/clock.h"
#include "engines/engine.h"
#include "transports/registry.h"

namespace collbench::addon {
namespace {

/// JavaScript function () => string. Returns the message `hello`, which an agent sends first, as JSON text:
/// the engine cpu, all transports (with the reason, if this machine cannot use one), and the machine's CPUs,
/// memory and network interfaces.
Napi::Value hello(const Napi::CallbackInfo& info) {
  std::vector<agent::TransportCapability> capabilities;
  for (const TransportEntry& entry : transports())
    capabilities.push_back({std::string(entry.name), std::string(entry.summary), entry.probe({})});
  const EngineEntry* cpu = find_engine(engines(), "cpu");
  return Napi::String::New(info.Env(), agent::hello_line({cpu, 1}, capabilities, metrics::read_inventory(),
                                                         agent::read_host_identity(), now_ns()));
}

/// JavaScript function (text: string) => string. Takes a `probe` message of the agent protocol and tests in
/// this process whether a transport can be used. Returns the `probed` message with the result. Throws for any
/// other message and for an unknown transport.
Napi::Value probe(const Napi::CallbackInfo& info) {
  try {
    const auto message = agent::parse_controller_message(info[0].As<Napi::String>());
    const auto* request = std::get_if<agent::ProbeRequest>(&message);
    const TransportEntry* entry = request == nullptr ? nullptr : find_transport(request->transport);
    if (entry == nullptr)
      throw Error(ErrorCode::kInvalidArgument,
                  "there is no transport '" + (request == nullptr ? "" : request->transport) + "'");
    agent::TransportCapability capability{std::string(entry->name), std::string(entry->summary),
                                          entry->probe(request->options)};
    if (!request->options.library.empty() && capability.name == "plugin")
      capability.name += ":" + request->options.library;
    return Napi::String::New(info.Env(), agent::to_line(agent::ProbedEvent{request->id, capability}));
  } catch (const Error& error) {
    throw to_js(info.Env(), error);
  }
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("hello", Napi::Function::New(env, &hello, "hello"));
  exports.Set("probe", Napi::Function::New(env, &probe, "probe"));
  add_launch(env, exports);
  add_sampler(env, exports);
  return exports;
}

}  // namespace
}  // namespace collbench::addon

static Napi::Object init_collbench(Napi::Env env, Napi::Object exports) {
  return collbench::addon::init(env, exports);
}
NODE_API_MODULE(collbench, init_collbench)
