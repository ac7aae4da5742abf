// Tests of the probe without a driver on any machine: the named driver library does not exist.
#include "engines/nccl/probe.h"

#include "cuda/driver_api.h"
#include "cuda/tests/harness.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/infiniband.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

constexpr const char* kNoDriver = "/nowhere/libcuda.so.1";
const int named_driver = setenv("COLLBENCH_CUDA_LIBRARY", kNoDriver, 1);  // Set before any GPU is opened.

Availability look(const std::string& transport, const EngineSettings& settings = {},
                  const std::string& queue = "rc") {
  TransportOptions options;
  options.queue = queue;
  options.token = "0123456789abcdef0123456789abcdef";
  if (transport == "sisci") options.library = "softntb";
  if (transport == "plugin") options.library = COLLBENCH_MOCK_PLUGIN;
  return probe(transport, options, settings);
}

std::string fact(const Availability& answer, const std::string& name) {
  const auto found = answer.facts.find(name);
  return found != answer.facts.end() ? found->second : "(none)";
}

}  // namespace

TEST_CASE("without a driver every transport says so and what would make it run") {
  REQUIRE(named_driver == 0);
  CHECK(cuda::open_driver(nullptr) == nullptr);
  for (const auto& transport : transport_names()) {
    CAPTURE(transport);
    const Availability answer = look(transport);
    CHECK_FALSE(answer.available);
    CHECK(contains(answer.reason,
                   "There is no NVIDIA GPU with its driver: /nowhere/libcuda.so.1 cannot be loaded"));
    CHECK(contains(answer.remedy, "Run on a machine with an NVIDIA GPU and its driver"));
    CHECK(answer.reason.ends_with("."));
    CHECK(answer.remedy.ends_with("."));
  }
}

TEST_CASE("one look names every missing piece") {
  const Availability answer = look("plugin", {{"nccl", "/nowhere/libnccl.so.2"}});
  CHECK(contains(answer.reason, kNoDriver));
  CHECK(contains(answer.reason, "There is no libnccl.so.2 at /nowhere/libnccl.so.2 (--nccl)."));
  CHECK(contains(answer.remedy, "name its libnccl.so.2 with --nccl"));
}

TEST_CASE("an NCCL that cannot be used is named with where it was found") {
  const Availability old_one = look("socket", {{"nccl", COLLBENCH_OLD_NCCL}});
  CHECK(contains(old_one.reason, "is NCCL 2.12.10, older than 2.13"));
  CHECK(fact(old_one, "nccl.how") == "--nccl");
  const TemporaryFolder folder;
  const auto file = folder.file("libnccl.so.2", "no library");
  CHECK(contains(look("socket", {{"nccl", file}}).reason, file + " cannot be loaded"));
}

TEST_CASE("facts hold the environment of rank 0, without the secret") {
  const Availability answer = look("sisci");
  CHECK(fact(answer, "env.NCCL_NET") == "SISCI");
  CHECK(fact(answer, "env.COLLBENCH_SISCI_ADAPTER") == "0");
  CHECK(fact(answer, "env.COLLBENCH_SISCI_TOKEN") == "(the run's secret)");
  CHECK(fact(answer, "net.plugin") == sisci_plugin_path());
  CHECK(fact(look("plugin"), "env.NCCL_NET") == "Mock");
}

TEST_CASE("an emulated adapter is said to be one") {
  const Availability answer = look("sisci");
  CHECK(answer.medium == Medium::kEmulated);
  CHECK(answer.detail.software_card == "softntb");
}

TEST_CASE("queues of a kind that NCCL does not make are refused") {
  CHECK(contains(look("ibgda", {}, "dc").reason,
                 "NCCL (GIN) makes reliable connections (rc), no queues of kind dc."));
  CHECK_FALSE(contains(look("ibgda").reason, "kind"));
  CHECK_FALSE(contains(look("ib", {}, "dc").reason, "kind"));  // The transport supports none of them.
}

TEST_CASE("a plugin that cannot be loaded is named once") {
  TransportOptions options;
  options.library = "/nowhere/libnccl-net-x.so";
  const std::string reason = probe("plugin", options, {}).reason;
  const std::string what = "net plugin /nowhere/libnccl-net-x.so cannot be loaded";
  CHECK(contains(reason, what));
  CHECK(reason.find(what) == reason.rfind(what));
}

TEST_CASE("wrong settings, combinations and transports are answers, no exceptions") {
  CHECK(contains(look("socket", {{"cache", "warm"}}).reason, "setting cache is \"warm\""));
  CHECK(contains(look("p2p", {{"shareGpu", "1"}}).reason,
                 "p2p cannot be measured with ranks that share a GPU"));
  const Availability unknown = look("tcp");
  CHECK(contains(unknown.reason, "has no transport \"tcp\""));
  CHECK(contains(unknown.remedy, "p2p, shm, socket"));
}

TEST_CASE("InfiniBand ports are read from sysfs; a machine without the folder has none") {
  const TemporaryFolder sysfs;
  CHECK(list_infiniband(sysfs.at("nowhere")).empty());
  sysfs.file("mlx5_0/ports/1/state", "4: ACTIVE\n");
  sysfs.file("mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  sysfs.file("mlx5_0/ports/1/link_layer", "InfiniBand\n");
  sysfs.file("irdma0/ports/1/state", "1: DOWN\n");
  sysfs.file("irdma0/device/vendor", "0x8086\n");
  const auto ports = list_infiniband(sysfs.at(""));
  REQUIRE(ports.size() == 2);
  CHECK(ports[0].device == "irdma0");
  CHECK_FALSE(ports[0].active);
  CHECK_FALSE(ports[0].connectx);
  CHECK(ports[1].device == "mlx5_0");
  CHECK(ports[1].active);
  CHECK(ports[1].rate == "400 Gb/sec (4X NDR)");
  CHECK(ports[1].connectx);
}

TEST_CASE("InfiniBand devices and ports are in the order of their numbers") {
  const TemporaryFolder sysfs;
  for (const char* port : {"mlx5_10/ports/1", "mlx5_2/ports/10", "mlx5_2/ports/2"})
    sysfs.file(port + std::string("/state"), "4: ACTIVE\n");
  std::string order;
  for (const InfinibandPort& port : list_infiniband(sysfs.at("")))
    order += port.device + ":" + std::to_string(port.port) + " ";
  CHECK(order == "mlx5_2:2 mlx5_2:10 mlx5_10:1 ");
}

TEST_CASE("the device of an interface is the one that the kernel lists under it") {
  const TemporaryFolder sysfs;
  sysfs.file("ib0/device/infiniband/mlx5_0/node_type", "1: CA\n");
  sysfs.file("eth0/device/vendor", "0x8086\n");
  CHECK(infiniband_of("ib0", sysfs.at("")) == "mlx5_0");
  CHECK(infiniband_of("eth0", sysfs.at("")).empty());
  CHECK(infiniband_of("lo", sysfs.at("")).empty());
}
