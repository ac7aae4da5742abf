// Engine for a user's training program, one process per rank; the program imports collbench.py.
#include "engines/script/helper_text.h"
#include "engines/worker/framework.h"
#include "engines/worker/rendezvous.h"

namespace collbench {
namespace {

constexpr std::string_view kHostTransports[] = {"socket"};

const worker::Framework kScript{
    "script",        "the program", script::helper_text,        {},   "",
    kHostTransports, true,          worker::torchrun_variables, true, script::startup_text};

std::unique_ptr<Engine> create_script(Bootstrap& bootstrap, const EngineOptions& options) {
  return worker::make_engine(kScript, bootstrap, options);
}

Abilities script_abilities() { return {{Ability::kProgram, {}}}; }

Availability probe_script(const std::string& transport, const TransportOptions& options,
                          const EngineSettings& settings) {
  return worker::probe(kScript, transport, options, settings);
}

}  // namespace

EngineEntry script_engine() { return {"script", create_script, script_abilities, probe_script, true}; }

}  // namespace collbench
