#include "engines/mpi/probe.h"

#include <exception>

#include "core/clock.h"
#include "core/error.h"
#include "engines/mpi/launcher.h"
#include "engines/mpi/toolchain.h"
#include "transports/socket/interfaces.h"

namespace collbench::mpi {
namespace {

constexpr std::int64_t kProbeNs = 60'000'000'000;

void look(const std::string& transport, const TransportOptions& options, const EngineSettings& settings,
          Availability& found) {
  found.remedy = "Change that option; collbench help allreduce lists them.";
  const std::int64_t end = now_ns() + kProbeNs;
  const auto too_late = [&] { return now_ns() > end; };
  const MpiToolchainSearch tools = find_toolchain(parse_settings(settings).mpi, too_late);
  if (!tools.found.mpirun.empty()) found.facts["mpi.mpirun"] = tools.found.mpirun;
  if (!tools.found.mpicc.empty()) found.facts["mpi.mpicc"] = tools.found.mpicc;
  if (!tools.found.version.empty()) found.facts["mpi.version"] = tools.found.title();
  if (!tools.why_not.empty()) {
    found.reason = tools.why_not;
    found.remedy = tools.remedy;
    return;
  }
  MpiRoute way{transport, "", options.streams, false};
  if (transport == kUcx && !has_ucx(tools.found, too_late)) {
    found.reason = tools.found.title() + " is built without UCX.";
    found.remedy = "Use --transport socket, or name the mpirun of an MPI that has UCX with --mpi.";
    return;
  }
  if (uses_interface(transport)) {
    way.interface = socket::choose_interface(options.interface_name, options.spans_hosts).interface.name;
    found.detail.network_interface = way.interface;
  } else if (options.spans_hosts) {
    found.reason = "It joins ranks of one machine.";
    found.remedy = "Between hosts use --transport socket or ucx.";
    return;
  } else {
    found.detail.local_path = LocalPath::kSharedMemory;
  }
  for (const auto& [name, value] : environment_for(tools.found, way)) found.facts["env." + name] = value;
  found.remedy =
      "Install the compiler and headers of this MPI (Debian: gcc, libopenmpi-dev or libmpich-dev).";
  build(tools.found, too_late);
  found.available = true;
  found.remedy.clear();
  found.detail.library = tools.found.title();
}

}  // namespace

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  Availability found;
  try {
    look(transport, options, settings, found);
  } catch (const std::exception& error) {
    found.miss(error.what(), "");
  }
  return found;
}

MpiSettings parse_settings(const EngineSettings& settings) {
  MpiSettings parsed;
  for (const auto& [word, value] : settings) {
    if (word != "mpi")
      throw Error(ErrorCode::kInvalidArgument, "mpi: there is no setting \"" + word + "\"; there is mpi");
    parsed.mpi = value;
  }
  return parsed;
}

}  // namespace collbench::mpi
