#include "engines/mpi/launcher.h"

#include <algorithm>

#include "core/error.h"

namespace collbench::mpi {
namespace {

// First version of Open MPI that calls its shared memory layer "sm"; before it was "vader".
constexpr int kFirstWithSm = 5;  // It is also the first whose launcher is PRRTE.
constexpr int kMaxStreams = 16;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::kInvalidArgument, "mpi: " + text);
}

void refuse_streams(const MpiRoute& way, const std::string& user) {
  if (way.streams > 0) refuse("--streams has no effect with " + user + "; leave it out");
}

/// Returns the variables that confine UCX to TCP over one interface and have it report the lanes that it
/// connects (ucx_report.h). All of them are set, because a variable of the user would count otherwise.
EngineSettings ucx(const MpiRoute& way) {
  return {{"UCX_TLS", "tcp,self"},
          {"UCX_NET_DEVICES", way.interface},
          {"UCX_LOG_LEVEL", "info"},
          {"UCX_LOG_FILE", ""}};
}

/// Returns the settings for Open MPI. Without UCX they allow ob1 with the named transport layers only,
/// because UCX or libfabric would choose a transport by themselves.
EngineSettings open_mpi(const MpiToolchain& tools, const MpiRoute& way) {
  EngineSettings set{{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_osc", "^ucx"}};
  if (way.transport == kUcx) {
    refuse_streams(way, "UCX");
    set = ucx(way);
    set["OMPI_MCA_pml"] = "ucx";
    // The transport layers of ob1 would open ports that nobody uses.
    set["OMPI_MCA_btl"] = "self";
    // Open MPI takes UCX by itself only for some adapters.
    set["OMPI_MCA_opal_common_ucx_tls"] = "any";
    set["OMPI_MCA_opal_common_ucx_devices"] = "any";
  } else if (way.transport == "socket") {
    set["OMPI_MCA_btl"] = "self,tcp";
    set["OMPI_MCA_btl_tcp_if_include"] = way.interface;
    if (way.streams > 0) set["OMPI_MCA_btl_tcp_links"] = std::to_string(way.streams);
  } else {
    set["OMPI_MCA_btl"] = tools.major() >= kFirstWithSm ? "self,sm" : "self,vader";
  }
  // Collectives with their own shared memory would bypass the transport.
  set["OMPI_MCA_coll"] = "^sm,hcoll,han,ucc";
  if (way.yields) set["OMPI_MCA_mpi_yield_when_idle"] = "1";
  return set;
}

/// Returns the settings for MPICH and Intel MPI, with TCP by libfabric or UCX. Variables for both are set;
/// the library with which the MPI was built reads its own.
EngineSettings mpich(const MpiRoute& way) {
  if (way.transport == "shm") return {{"MPIR_CVAR_NOLOCAL", "0"}};
  refuse_streams(way, "MPICH");
  EngineSettings set = ucx(way);
  set["MPIR_CVAR_NOLOCAL"] = "1";
  if (way.transport == kUcx) {
    set["MPIR_CVAR_CH4_NETMOD"] = "ucx";
  } else {
    set["FI_PROVIDER"] = "tcp;ofi_rxm";
    set["FI_TCP_IFACE"] = way.interface;
  }
  return set;
}

EngineSettings intel(const MpiRoute& way) {
  if (way.transport == "shm") return {{"I_MPI_FABRICS", "shm"}};
  if (way.transport == kUcx) refuse("Intel MPI uses libfabric, not UCX; use --transport socket");
  refuse_streams(way, "Intel MPI");
  return {{"I_MPI_FABRICS", "ofi"}, {"I_MPI_OFI_PROVIDER", "tcp"}, {"FI_TCP_IFACE", way.interface}};
}

}  // namespace

const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names = {"socket", "shm", kUcx};
  return names;
}

bool uses_interface(const std::string& transport) noexcept { return transport != "shm"; }

EngineSettings environment_for(const MpiToolchain& tools, const MpiRoute& way) {
  const auto& names = transport_names();
  if (std::find(names.begin(), names.end(), way.transport) == names.end())
    refuse("there is no transport \"" + way.transport + "\"; there are socket, shm, ucx");
  if (way.streams < 0 || way.streams > kMaxStreams)
    refuse("1 to 16 streams per peer (0 lets the MPI choose), got " + std::to_string(way.streams));
  switch (tools.kind) {
    case MpiImplementation::kOpenMpi:
      return open_mpi(tools, way);
    case MpiImplementation::kMpich:
      return mpich(way);
    case MpiImplementation::kIntel:
      return intel(way);
  }
  refuse("unknown MPI");
}

std::vector<std::string> proofs_of(MpiImplementation kind) {
  if (kind == MpiImplementation::kOpenMpi) return {"pml", "btl", "btl_tcp_if_include", "coll"};
  return {"MPIR_CVAR_NOLOCAL", "MPIR_CVAR_CH4_NETMOD"};
}

std::vector<std::string> launcher_words(const MpiToolchain& tools, const std::vector<MpiHostShare>& shares,
                                        const std::string& names, bool as_root) {
  const bool is_open_mpi = tools.kind == MpiImplementation::kOpenMpi;
  std::vector<std::string> words{tools.mpirun};
  if (is_open_mpi) {
    if (as_root) words.push_back("--allow-run-as-root");
    // Daemons stay children of the process that starts them, so that none outlives its rank.
    words.push_back("--leave-session-attached");
  } else {
    std::string hosts;
    for (const MpiHostShare& share : shares)
      hosts += (hosts.empty() ? "" : ",") + share.address + ":" + std::to_string(share.ranks);
    words.insert(words.end(), {"-rmk", "user", "-launcher", "ssh", "-launcher-exec", shares.front().slot,
                               "-localhost", shares.front().address, "-hosts", hosts});
  }
  bool is_first = true;
  for (const MpiHostShare& share : shares) {
    const std::string ranks = std::to_string(share.ranks);
    if (!is_first) words.push_back(":");
    is_first = false;
    words.insert(words.end(), {"-np", ranks});
    // The agent places the ranks; the processes that mpirun starts only wait.
    if (is_open_mpi) words.insert(words.end(), {"--host", share.address + ":" + ranks, "--bind-to", "none"});
    words.insert(words.end(), {share.slot, names});
  }
  return words;
}

EngineSettings launcher_environment(const MpiToolchain& tools, const std::string& slot,
                                    const std::string& interface) {
  if (tools.kind != MpiImplementation::kOpenMpi) return {};
  const std::string batch_systems = "^slurm,tm,lsf,gridengine,alps,loadleveler";
  const std::string prefix = tools.major() >= kFirstWithSm ? "PRTE_MCA_" : "OMPI_MCA_";
  const std::string plm = tools.major() >= kFirstWithSm ? "ssh" : "rsh";
  EngineSettings set{{prefix + "plm", plm},
                     {prefix + "plm_" + plm + "_agent", slot},
                     {prefix + "plm_" + plm + "_no_tree_spawn", "1"},
                     {prefix + "plm_" + plm + "_disable_qrsh", "1"},
                     {prefix + "ras", batch_systems}};
  if (!interface.empty()) set[prefix + "oob_tcp_if_include"] = interface;
  return set;
}

}  // namespace collbench::mpi
