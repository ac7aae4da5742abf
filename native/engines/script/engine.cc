// Engine for a user's training program, one process per rank; the program imports collbench.py.
#include "engines/worker/framework.h"
#include "engines/worker/rendezvous.h"

namespace collbench::script {

// Defined in the text that CMake makes of helper_text.cc.in and startup_text.cc.in.
/// Returns the text of collbench.py, the Python module that the user's program may import.
const char* helper_text() noexcept;
/// Returns the text of the Python module sitecustomize, which Python loads before the user's program.
const char* startup_text() noexcept;

}  // namespace collbench::script

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
