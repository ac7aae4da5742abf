#include "engines/mpi/launcher.h"

#include <algorithm>

#include "core/error.h"

namespace collbench::mpi {
namespace {

constexpr int kFirstWithSm = 5;  // of Open MPI; before it was named vader
constexpr int kMostStreams = 16;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::kInvalidArgument, "mpi: " + text);
}

/// ob1 over the named transfer layers alone: UCX or libfabric would otherwise choose for themselves.
Settings open_mpi(const Toolchain& tools, const Way& way) {
  Settings set{{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_osc", "^ucx"}};
  if (way.transport == "socket") {
    set["OMPI_MCA_btl"] = "self,tcp";
    set["OMPI_MCA_btl_tcp_if_include"] = way.interface;
    if (way.streams > 0) set["OMPI_MCA_btl_tcp_links"] = std::to_string(way.streams);
  } else {
    set["OMPI_MCA_btl"] = tools.major() >= kFirstWithSm ? "self,sm" : "self,vader";
  }
  // Collectives with a shared memory of their own would pass the transport by.
  set["OMPI_MCA_coll"] = "^sm,hcoll,han,ucc";
  if (way.yields) set["OMPI_MCA_mpi_yield_when_idle"] = "1";
  return set;
}

/// MPICH (and Intel MPI) over libfabric's or UCX's TCP: the device that it was built with reads its own.
Settings mpich(const Way& way) {
  if (way.transport == "shm") return {{"MPIR_CVAR_NOLOCAL", "0"}};
  if (way.streams > 0) refuse("--streams has no effect with MPICH; leave it out");
  return {{"MPIR_CVAR_NOLOCAL", "1"},
          {"FI_PROVIDER", "tcp;ofi_rxm"},
          {"FI_TCP_IFACE", way.interface},
          {"UCX_TLS", "tcp,self"},
          {"UCX_NET_DEVICES", way.interface}};
}

Settings intel(const Way& way) {
  if (way.transport == "shm") return {{"I_MPI_FABRICS", "shm"}};
  if (way.streams > 0) refuse("--streams has no effect with Intel MPI; leave it out");
  return {{"I_MPI_FABRICS", "ofi"}, {"I_MPI_OFI_PROVIDER", "tcp"}, {"FI_TCP_IFACE", way.interface}};
}

}  // namespace

const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names = {"socket", "shm"};
  return names;
}

Settings environment_for(const Toolchain& tools, const Way& way) {
  const auto& names = transport_names();
  if (std::find(names.begin(), names.end(), way.transport) == names.end())
    refuse("there is no transport \"" + way.transport + "\"; there are socket, shm");
  if (way.streams < 0 || way.streams > kMostStreams)
    refuse("1 to 16 streams per peer (0 lets the MPI choose), got " + std::to_string(way.streams));
  switch (tools.kind) {
    case Kind::kOpenMpi:
      return open_mpi(tools, way);
    case Kind::kMpich:
      return mpich(way);
    case Kind::kIntel:
      return intel(way);
  }
  refuse("unknown MPI");
}

std::vector<std::string> proofs_of(Kind kind) {
  if (kind == Kind::kOpenMpi) return {"pml", "btl", "btl_tcp_if_include", "coll"};
  return {"MPIR_CVAR_NOLOCAL", "MPIR_CVAR_CH4_NETMOD"};
}

std::vector<std::string> launcher_words(const Toolchain& tools, int ranks, bool as_root) {
  const std::string count = std::to_string(ranks);
  if (tools.kind != Kind::kOpenMpi) return {"-np", count, "-host", "localhost"};
  // Our agent places the ranks; what mpirun starts only waits.
  std::vector<std::string> words{"-np", count, "--host", "localhost:" + count, "--bind-to", "none"};
  if (as_root) words.insert(words.begin(), "--allow-run-as-root");
  return words;
}

}  // namespace collbench::mpi
