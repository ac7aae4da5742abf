// Tables that a plugin exports, and its device properties.
#include <dlfcn.h>

#include <limits>
#include <set>

#include "emulated/conformance/plugin/bench.h"
#include "net_plugin/nccl_net.h"

namespace collbench::conformance::net {
namespace {

constexpr std::size_t kMaxMessageLimit = std::size_t{1} << 40;  // NCCL accepts no larger limit

void* opened(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* why = handle == nullptr ? dlerror() : "";
  expect(handle != nullptr, "the file can be loaded", why == nullptr ? "no reason given" : why);
  return handle;
}

const void* table_of(void* handle, int version) {
  return dlsym(handle, ("ncclNetPlugin_v" + std::to_string(version)).c_str());
}

void versions(PluginBench& bench) {
  void* handle = opened(bench.path);
  std::string found;
  for (int version = collbench::plugin::kOldestVersion; version <= collbench::plugin::kNewestVersion;
       ++version)
    if (table_of(handle, version) != nullptr)
      found += (found.empty() ? "v" : ", v") + std::to_string(version);
  expect(!found.empty(), "ncclNetPlugin_v6 to v12", "none of them");
  note(found);
}

/// Names the functions that are null in the plugin's table although NCCL calls them without a check; "" if
/// there are none.
/// @param at the table
/// @param has_gpu_memory true if the device accepts GPU memory; only then iflush is needed
template <typename Net>
std::string missing_in(const void* at, bool has_gpu_memory) {
  const Net& net = *static_cast<const Net*>(at);
  std::string missing;
  const auto look = [&](const char* name, bool is_there) {
    if (!is_there) missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  look("name", net.name != nullptr);
  look("init", net.init != nullptr);
  look("devices", net.devices != nullptr);
  look("getProperties", net.getProperties != nullptr);
  look("listen", net.listen != nullptr);
  look("connect", net.connect != nullptr);
  look("accept", net.accept != nullptr);
  look("regMr", net.regMr != nullptr);
  look("deregMr", net.deregMr != nullptr);
  look("isend", net.isend != nullptr);
  look("irecv", net.irecv != nullptr);
  if (has_gpu_memory) look("iflush", net.iflush != nullptr);
  look("test", net.test != nullptr);
  look("closeSend", net.closeSend != nullptr);
  look("closeRecv", net.closeRecv != nullptr);
  look("closeListen", net.closeListen != nullptr);
  return missing;
}

void functions(PluginBench& bench) {
  const int version = bench.net().version();
  const bool has_gpu_memory = bench.device().cuda_memory;
  const void* table = table_of(opened(bench.path), version);
  std::string missing;
  switch (version) {
    case 6:
      missing = missing_in<nccl::NetV6>(table, has_gpu_memory);
      break;
    case 7:
      missing = missing_in<nccl::NetV7>(table, has_gpu_memory);
      break;
    case 8:
      missing = missing_in<nccl::NetV8>(table, has_gpu_memory);
      break;
    case 9:
      missing = missing_in<nccl::NetV9>(table, has_gpu_memory);
      break;
    case 10:
      missing = missing_in<nccl::NetV10>(table, has_gpu_memory);
      break;
    case 11:
      missing = missing_in<nccl::NetV11>(table, has_gpu_memory);
      break;
    default:
      missing = missing_in<nccl::NetV12>(table, has_gpu_memory);
  }
  expect(missing.empty(), "every function that NCCL calls is there after init", "null: " + missing);
}

void devices(PluginBench& bench) {
  std::set<std::string> names;
  const int count = bench.net().devices();
  for (int i = 0; i < count; ++i) {
    const std::string name = bench.net().properties(i).name;
    expect(names.insert(name).second, "devices with different names",
           "two are called " + name + ", which NCCL takes for one device");
  }
  note(std::to_string(count) + " of " + bench.net().name());
}

void again(PluginBench& bench) {
  const DeviceProperties first = bench.device(), second = bench.device();
  expect_equal("name", first.name, second.name);
  expect_equal("PCI path", first.pci_path, second.pci_path);
  expect_equal("devices", bench.net().devices(), bench.net().devices());
}

void limits(PluginBench& bench) {
  const DeviceProperties device = bench.device();
  expect(device.max_comms > 0, "maxComms above 0", std::to_string(device.max_comms));
  const std::string flaw = bench.net().corrected_properties(0);
  expect(flaw.empty(), "a name, and maxRecvs of 1 or more", flaw);
  expect(device.max_message_bytes <= kMaxMessageLimit, "maxP2pBytes of at most 1 TiB",
         std::to_string(device.max_message_bytes));
  note("maxComms " + std::to_string(device.max_comms) + ", maxRecvs " + std::to_string(device.max_receives) +
       ", messages up to " + std::to_string(device.max_message_bytes) + " bytes");
}

void init_again(PluginBench& bench) {
  const int version = bench.net().version();
  // A different key makes a new object, so init is called again.
  const auto second = collbench::plugin::open_foreign_net(bench.path, version);
  expect_equal("devices", bench.net().devices(), second->devices());
}

void loads(PluginBench& bench) { note(bench.net().name()); }

constexpr Test<PluginBench> kLoad[] = {{"can be loaded and comes through init", loads}};
constexpr Test<PluginBench> kTable[] = {{"exports a table of a version that NCCL takes", versions},
                                        {"has no null function after init", functions}};
constexpr Test<PluginBench> kInit[] = {{"finds devices, each with a name of its own", devices},
                                       {"says the same of a device when asked again", again},
                                       {"reports limits that NCCL can use", limits},
                                       {"can be initialised again for the next communicator", init_again}};

}  // namespace

const std::span<const Test<PluginBench>> load_tests = kLoad, table_tests = kTable, init_tests = kInit;

}  // namespace collbench::conformance::net
