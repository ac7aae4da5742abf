#include "engines/nccl/environment.h"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "core/environment.h"
#include "core/error.h"
#include "core/shared_object.h"
#include "core/text.h"
#include "engines/nccl/infiniband.h"
#include "transports/ibgda/lookalikes.h"
#include "transports/sisci/transport.h"

namespace collbench::nccl {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstWithGin = 22803;
constexpr int kFirstWithGinPlugins = 22807;
constexpr int kNewestNet = 12, kOldestNet = 6;
constexpr int kMaxSocketThreads = 16;  // NCCL's own limit.
constexpr const char* kPluginFile = "libnccl-net-sisci.so";

/// Variables for one rank that have been collected so far, and what they depend on.
struct Draft {
  const TransportOptions& options;
  const NcclSettings& settings;
  int local_ranks;
  int nccl_version;
  Environment variables;

  void set(const char* name, const std::string& value) { variables.emplace_back(name, value); }
  [[nodiscard]] bool one_machine() const { return local_ranks == 0 || local_ranks >= options.ranks; }
};

/// Variables and values that set_environment() has set in this process. The lock is needed because ranks may
/// be threads of one process.
std::mutex ours_mutex;
std::map<std::string, std::string> ours;

bool user_chose(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return false;
  const std::lock_guard lock(ours_mutex);
  const auto found = ours.find(name);
  return found == ours.end() || found->second != value;
}

void refuse(const std::string& why) { throw Error(ErrorCode::kInvalidArgument, "nccl: " + why); }

/// Throws unless the conditions for the transports p2p and shm are met: all GPUs are in one machine, and NCCL
/// sees it as one machine.
void require_neighbours(const Draft& draft, const std::string& transport) {
  if (draft.settings.share_gpu)
    refuse(transport +
           " cannot be measured with ranks that share a GPU: each is then a host of its own for NCCL; "
           "leave --share-gpu out, or take socket or sisci");
  if (!draft.one_machine())
    refuse(transport + " joins GPUs of one machine, but " +
           std::to_string(draft.options.ranks - draft.local_ranks) + " of " +
           std::to_string(draft.options.ranks) +
           " ranks are on other machines; take socket, ib or sisci there");
}

/// Sets variables with which NCCL moves all data between ranks through the network.
void net_only(Draft& draft) {
  draft.set("NCCL_P2P_DISABLE", "1");  // Otherwise NVLink or PCIe carries traffic within the machine.
  // Otherwise host memory carries it. With both off, NCCL treats each rank as a node.
  draft.set("NCCL_SHM_DISABLE", "1");
  // Otherwise NVLink between machines connects the ranks, regardless of P2P.
  draft.set("NCCL_MNNVL_ENABLE", "0");
}

/// Throws if the user's environment turns the transport off: NCCL would find no way between the ranks.
void require_not_off(const char* variable, const std::string& transport) {
  const std::string value = environment_value(variable);
  if (value.empty() || value == "0" || !user_chose(variable)) return;
  refuse(std::string(variable) + "=" + value + " in the environment turns " + transport +
         " off; unset it, or choose another transport, such as socket");
}

void p2p(Draft& draft) {
  require_neighbours(draft, "p2p");
  require_not_off("NCCL_P2P_DISABLE", "p2p");
  // P2P where GPUs reach each other is not affected: SHM and NET are used for a pair only if P2P is
  // impossible. NET is also used if the network adapter is faster than the connection between the GPUs. These
  // two variables turn that detour, which would be measured as p2p, into a connection error. NCCL_P2P_LEVEL
  // stays the user's: how far P2P may reach (default: not across CPUs) decides what is measured.
  draft.set("NCCL_SHM_DISABLE", "1");
  draft.set("NCCL_NET_DISABLE_INTRA", "1");
}

void shm(Draft& draft) {
  require_neighbours(draft, "shm");
  require_not_off("NCCL_SHM_DISABLE", "shm");
  if (draft.settings.registration == Registration::kSymmetric)
    refuse(
        "symmetric windows are loads and stores over P2P, whatever NCCL_P2P_DISABLE says; take register none "
        "or "
        "local with shm");
  draft.set("NCCL_P2P_DISABLE", "1");
  draft.set("NCCL_NET_DISABLE_INTRA", "1");  // Otherwise a fast network adapter is preferred to SHM.
  draft.set("NCCL_NVLS_ENABLE", "0");  // Otherwise NVSwitch multicast carries allreduce even with P2P off.
}

/// Sets variables with which all data between ranks go through the network, for this project's kernels on
/// NCCL's GIN. P2P must stay on, because symmetric windows need it among ranks of one host. So NCCL_HOSTID
/// makes each rank a host of its own.
void separate_hosts(Draft& draft) {
  if (!draft.settings.share_gpu) draft.set("NCCL_HOSTID", "collbench-" + std::to_string(draft.options.rank));
  draft.set("NCCL_MNNVL_ENABLE", "0");
}

// Values of NCCL_GIN_TYPE: an NCCL thread passes the kernels' puts to the network, or kernels ring the
// adapter (GDAKI).
constexpr const char *kGinProxy = "2", *kGdaki = "3";

/// Sets variables with which all data between ranks go through the network, either by NCCL's own collectives
/// or by this project's kernels on GIN. @param gin_type value of NCCL_GIN_TYPE for the kernels
void by_net(Draft& draft, const char* gin_type) {
  if (draft.settings.device_api != DeviceReach::kGin) return net_only(draft);
  if (draft.nccl_version != 0 && draft.nccl_version < kFirstWithGinPlugins)
    throw Error(ErrorCode::kUnavailable, "GIN needs NCCL 2.28.7 or newer");
  separate_hosts(draft);
  draft.set("NCCL_GIN_ENABLE", "1");
  draft.set("NCCL_GIN_TYPE", gin_type);  // Otherwise NCCL uses GDAKI if it finds a ConnectX.
  draft.set("NCCL_CUMEM_ENABLE", "1");   // Symmetric windows need cuMem memory.
}

/// Makes NCCL use the requested network interface for its own connections, and plugins for their sockets.
void name_interface(Draft& draft) {
  const std::string& wanted = draft.options.interface_name;
  if (wanted.empty()) return;
  const auto slash = wanted.find('/');  // The socket transport also accepts eth0/ipv6.
  draft.set("NCCL_SOCKET_IFNAME", "=" + wanted.substr(0, slash));  // "=" means the whole name, not a prefix.
  if (slash != std::string::npos)
    draft.set("NCCL_SOCKET_FAMILY", wanted.substr(slash + 1) == "ipv6" ? "AF_INET6" : "AF_INET");
}

void socket(Draft& draft) {
  net_only(draft);
  draft.set("NCCL_NET", "Socket");  // Set by name, so that no plugin or InfiniBand device is preferred.
  name_interface(draft);
  if (const int streams = draft.options.streams; streams != 0) {
    if (streams < 0 || streams > kMaxSocketThreads)
      refuse("NCCL's sockets take 1 to 16 streams per peer here (0 lets NCCL choose), got " +
             std::to_string(streams));
    // The number of connections is threads x sockets per thread.
    draft.set("NCCL_SOCKET_NTHREADS", std::to_string(streams));
    draft.set("NCCL_NSOCKS_PERTHREAD", "1");
  }
}

/// Makes NCCL use the software adapter softmlx5, whose libraries have the names of libibverbs and libmlx5.
/// Variables also make NCCL copy data through host memory (no GPUDirect RDMA), so that the adapter needs no
/// access to GPU memory.
void software_ib(Draft& draft, const char* gin_type) {
  if (!draft.one_machine())
    refuse("there is no InfiniBand device, and softmlx5 joins ranks of one machine only");
  by_net(draft, gin_type);
  draft.set("NCCL_NET", "IB");
  draft.set("NCCL_IB_HCA", "=mlx5_0");
  draft.set("NCCL_NET_GDR_LEVEL", "LOC");
  draft.set("NCCL_DMABUF_ENABLE", "0");
  // Set for workers that this rank starts, and for users who repeat the run by hand; this process's loader
  // has read it already.
  const std::string folder = ibgda::lookalikes_folder(), before = environment_value("LD_LIBRARY_PATH");
  draft.set("LD_LIBRARY_PATH", before.empty()               ? folder
                               : before.starts_with(folder) ? before
                                                            : folder + ":" + before);
  for (const auto& [name, value] : ibgda::software_card_settings(draft.options))
    draft.set(name.c_str(), value);
  // LL128 needs 128 bytes to arrive together, which copies by a CPU do not guarantee.
  if (draft.settings.protocol.empty() && !user_chose("NCCL_PROTO")) draft.set("NCCL_PROTO", "^LL128");
}

void real_ib(Draft& draft, const char* gin_type) {
  if (draft.one_machine()) by_net(draft, gin_type);
  draft.set("NCCL_NET", "IB");  // Set by name: without a device NCCL fails and does not use TCP.
  const std::string wanted = draft.options.interface_name.substr(0, draft.options.interface_name.find('/'));
  if (wanted.empty()) return;
  const std::string device = infiniband_of(wanted);
  if (device.empty())
    refuse("interface " + wanted +
           " belongs to no InfiniBand or RoCE device of this machine; name one that does (rdma link lists "
           "them), or set NCCL_IB_HCA and name none");
  name_interface(draft);
  draft.set("NCCL_IB_HCA", "=" + device);
}

void any_ib(Draft& draft, const char* gin_type) {
  if (ibgda::wants_software_card(draft.options))
    software_ib(draft, gin_type);
  else
    real_ib(draft, gin_type);
}

void ib(Draft& draft) { any_ib(draft, kGinProxy); }

void gdaki(Draft& draft) {
  if (draft.nccl_version != 0 && draft.nccl_version < kFirstWithGin)
    throw Error(ErrorCode::kUnavailable, "ibgda needs NCCL 2.28.3 or newer (GIN)");
  any_ib(draft, kGdaki);
  // Without this variable NCCL may fall back to a CPU proxy thread. (For our own kernels on one machine,
  // by_net() has set it.)
  if (draft.settings.device_api != DeviceReach::kGin || !draft.one_machine())
    draft.set("NCCL_GIN_TYPE", kGdaki);
}

/// Returns the value of NCCL_NET_PLUGIN for a plugin: its path, or only its name if this NCCL version accepts
/// no path.
std::string plugin_value(const std::string& path, int nccl_version) {
  if (nccl_version == 0 || nccl_version >= kFirstWithPluginPath)
    return path.find('/') == std::string::npos ? path : fs::absolute(path).lexically_normal().string();
  const std::string file = fs::path(path).filename().string();
  const std::string before = "libnccl-net-", after = ".so";
  if (!file.starts_with(before) || !file.ends_with(after) || file.size() <= before.size() + after.size())
    throw Error(ErrorCode::kUnavailable,
                "NCCL before 2.21 loads net plugins only by names like libnccl-net-x.so, and this one is " +
                    path + "; rename it or take a newer NCCL");
  return file.substr(before.size(), file.size() - before.size() - after.size());
}

void load_plugin(Draft& draft, const std::string& path) {
  const std::string name = plugin_name(path);
  draft.set("NCCL_NET_PLUGIN", plugin_value(path, draft.nccl_version));
  // Set by name: a plugin that cannot start is an error and not a reason for TCP.
  draft.set("NCCL_NET", name);
  name_interface(draft);
}

void sisci(Draft& draft) {
  const std::string path = sisci_plugin_path();
  if (path.empty())
    throw Error(ErrorCode::kUnavailable, std::string(kPluginFile) +
                                             " is not beside the program; build the target "
                                             "nccl-net-sisci, or install collbench again");
  by_net(draft, kGinProxy);
  load_plugin(draft, path);
  const TransportOptions& options = draft.options;
  if (!options.library.empty()) draft.set("COLLBENCH_SISCI_LIBRARY", options.library);
  draft.set("COLLBENCH_SISCI_TOKEN", options.token);
  draft.set("COLLBENCH_SISCI_ADAPTER", std::to_string(options.rank));
  draft.set("COLLBENCH_SISCI_LINK", options.link.empty() ? "none" : options.link);
  draft.set("COLLBENCH_SISCI_FAULT", options.fault);
  draft.set("COLLBENCH_SISCI_PATH_PROOF", options.path_proof ? "1" : "0");
  // NCCL uses two channels per adapter, which are too few to keep the engines of an unthrottled emulation
  // busy (two H200, 64 MiB: 13.2 GB/s with two, 19.0 with four).
  const bool free_running = options.link.empty() || options.link == "none";
  if (free_running && !user_chose("NCCL_MIN_NCHANNELS") && probe_sisci(options).medium == Medium::kEmulated)
    draft.set("NCCL_MIN_NCHANNELS", "4");
  // LL128 needs 128 bytes to arrive together, which an NTB does not guarantee.
  if (draft.settings.protocol.empty() && !user_chose("NCCL_PROTO")) draft.set("NCCL_PROTO", "^LL128");
}

void plugin(Draft& draft) {
  net_only(draft);
  load_plugin(draft, draft.options.library);
}

struct TransportVariables {
  const char* name;
  void (*fill)(Draft& draft);
};
constexpr TransportVariables kRows[] = {{"p2p", p2p},     {"shm", shm},       {"socket", socket}, {"ib", ib},
                                        {"sisci", sisci}, {"plugin", plugin}, {"ibgda", gdaki}};

const TransportVariables& find_row(const std::string& transport) {
  for (const TransportVariables& row : kRows)
    if (transport == row.name || (row.fill == plugin && transport.starts_with("plugin:"))) return row;
  throw Error(ErrorCode::kInvalidArgument, "nccl: there is no transport \"" + transport + "\"; there are " +
                                               join(kRows, &TransportVariables::name));
}

}  // namespace

const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const TransportVariables& row : kRows) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

Environment environment_for(const std::string& transport, const TransportOptions& options,
                            const NcclSettings& settings, const std::string& debug_file, int local_ranks,
                            int nccl_version) {
  const TransportVariables& row = find_row(transport);
  Draft draft{options, settings, local_ranks, nccl_version, {}};
  row.fill(draft);
  // NCCL refuses duplicate GPUs among ranks of one host, so each rank gets a host of its own.
  if (settings.share_gpu) draft.set("NCCL_HOSTID", "collbench-" + std::to_string(options.rank));
  if (!settings.algorithm.empty()) draft.set("NCCL_ALGO", settings.algorithm);
  if (!settings.protocol.empty()) draft.set("NCCL_PROTO", settings.protocol);
  // Log for evidence. These subsystems log while connections are made. TUNING and COLL log in every call, so
  // they are only for launches that are not timed.
  draft.set("NCCL_DEBUG", "INFO");
  draft.set("NCCL_DEBUG_SUBSYS",
            std::string("INIT,NET,P2P,SHM,ENV,GRAPH") + (settings.attest ? ",TUNING,COLL" : ""));
  draft.set("NCCL_DEBUG_FILE", debug_file);
  return std::move(draft.variables);
}

bool is_secret(const std::string& name) {
  return name == "COLLBENCH_SISCI_TOKEN" || name == "SOFTMLX5_FABRIC";
}

bool over_software_card(const std::string& transport, const TransportOptions& options) {
  return (transport == "ib" || transport == "ibgda") && ibgda::wants_software_card(options);
}

void set_environment(const Environment& variables) {
  const std::lock_guard lock(ours_mutex);
  for (const auto& [name, value] : variables) {
    setenv(name.c_str(), value.c_str(), 1);
    ours[name] = value;
  }
}

std::string plugin_file(const std::string& transport, const TransportOptions& options) {
  if (transport == "sisci") return sisci_plugin_path();
  return transport.starts_with("plugin") ? options.library : "";
}

std::string plugin_name(const std::string& path) {
  if (path.empty())
    throw Error(ErrorCode::kUnavailable,
                "no net plugin named; write --transport plugin:/path/to/libnccl-net-x.so");
  std::string why;
  void* handle = open_shared(path, why);
  if (handle == nullptr)
    throw Error(ErrorCode::kUnavailable, "net plugin " + path + " cannot be loaded: " + why);
  for (int version = kNewestNet; version >= kOldestNet; --version) {
    // The table begins with the name in every version.
    const auto* table = static_cast<const char* const*>(
        symbol_of(handle, ("ncclNetPlugin_v" + std::to_string(version)).c_str()));
    if (table != nullptr && *table != nullptr) return *table;
  }
  throw Error(ErrorCode::kUnavailable,
              path +
                  " exports no ncclNetPlugin_v6 to ncclNetPlugin_v12; it is no NCCL net "
                  "plugin, or one for NCCL before 2.13");
}

std::string sisci_plugin_path() {
  std::vector<fs::path> folders;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&sisci_plugin_path), &info) != 0 && info.dli_fname != nullptr)
    folders.push_back(fs::path(info.dli_fname).parent_path());
  std::error_code failed;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", failed); !failed)
    folders.push_back(self.parent_path());
  for (const auto& folder : folders)
    for (const char* below : {".", "net_plugin", "../net_plugin", "../../net_plugin", "../lib"}) {
      const fs::path candidate = folder / below / kPluginFile;
      if (fs::is_regular_file(candidate, failed)) return fs::canonical(candidate, failed).string();
    }
  return {};
}

void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport) {
  const std::string& used = log.findings().network;
  for (const auto& [name, wanted] : environment) {
    if (name != "NCCL_NET" || used.empty() || strcasecmp(used.c_str(), wanted.c_str()) == 0) continue;
    throw Error(ErrorCode::kUnavailable,
                "NCCL uses network " + used + " where " + wanted + " was asked for: " + transport +
                    " did not start; its last words: " + (log.tail().empty() ? "none" : log.tail().back()));
  }
}

}  // namespace collbench::nccl
