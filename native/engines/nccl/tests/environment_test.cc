#include "engines/nccl/environment.h"

#include "cuda/tests/harness.h"
#include "transports/ibgda/lookalikes.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

using Wanted = std::map<std::string, std::string>;

constexpr const char* kDebugFile = "/proc/self/fd/9";

/// Returns "NAME=value" in the order of setting, without the lines for evidence that all transports have.
std::string variables_of(const std::string& transport, const TransportOptions& options = {},
                         const NcclSettings& settings = {}, int local_ranks = 0, int nccl_version = 0) {
  std::string text;
  for (const auto& [name, value] :
       environment_for(transport, options, settings, kDebugFile, local_ranks, nccl_version))
    if (!name.starts_with("NCCL_DEBUG")) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::string value_in(const Environment& environment, const std::string& wanted) {
  for (const auto& [name, value] : environment)
    if (name == wanted) return value;
  return "(not set)";
}

TransportOptions with_plugin(const std::string& path) {
  TransportOptions options;
  options.library = path;
  return options;
}

constexpr const char* kNetOnly = "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_MNNVL_ENABLE=0 ";

}  // namespace

TEST_CASE("p2p and shm: the other ways are closed, so that a missing one is an error") {
  CHECK(variables_of("p2p") == "NCCL_SHM_DISABLE=1 NCCL_NET_DISABLE_INTRA=1");
  CHECK(variables_of("shm") == "NCCL_P2P_DISABLE=1 NCCL_NET_DISABLE_INTRA=1 NCCL_NVLS_ENABLE=0");
}

TEST_CASE("a transport that the user's environment turns off is refused") {
  const std::map<std::string, std::string> variables = {{"p2p", "NCCL_P2P_DISABLE"},
                                                        {"shm", "NCCL_SHM_DISABLE"}};
  for (const auto& [transport, variable] : variables) {
    setenv(variable.c_str(), "1", 1);
    CHECK(contains(refusal_of([&] { variables_of(transport); }), variable + "=1 in the environment"));
    setenv(variable.c_str(), "0", 1);
    CHECK(refusal_of([&] { variables_of(transport); }) == "nothing was refused");
    unsetenv(variable.c_str());
  }
}

TEST_CASE("socket: everything through NCCL's Socket net, on the interface asked for") {
  CHECK(variables_of("socket") == kNetOnly + std::string("NCCL_NET=Socket"));
  TransportOptions options;
  options.interface_name = "eth1/ipv6";
  options.streams = 4;
  CHECK(variables_of("socket", options) ==
        kNetOnly + std::string("NCCL_NET=Socket NCCL_SOCKET_IFNAME==eth1 NCCL_SOCKET_FAMILY=AF_INET6 "
                               "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=1"));
  options.streams = 17;
  CHECK(contains(refusal_of([&] { variables_of("socket", options); }), "1 to 16 streams"));
}

TEST_CASE("ib: alone on one machine, beside NVLink where several machines are joined") {
  TransportOptions options = with_plugin("libibverbs.so.1");  // A real library, whatever this machine has.
  options.ranks = 16;
  CHECK(variables_of("ib", options) == kNetOnly + std::string("NCCL_NET=IB"));
  CHECK(variables_of("ib", options, {}, 16) == kNetOnly + std::string("NCCL_NET=IB"));
  CHECK(variables_of("ib", options, {}, 8) == "NCCL_NET=IB");
  CHECK(variables_of("ibgda", options, {}, 8, 22809) == "NCCL_NET=IB NCCL_GIN_TYPE=3");
  CHECK(contains(refusal_of([&] { variables_of("ibgda", options, {}, 8, 22707); }),
                 "unavailable: ibgda needs NCCL 2.28.3"));
}

TEST_CASE("ib over an interface that is of no such device is refused, not measured over another one") {
  TransportOptions options = with_plugin("libibverbs.so.1");
  options.interface_name = "lo";
  CHECK(contains(refusal_of([&] { variables_of("ib", options); }),
                 "interface lo belongs to no InfiniBand or RoCE device"));
}

TEST_CASE("ib over softmlx5: its one device, data through host memory, and what the card itself reads") {
  const Variables unset(Wanted{{"NCCL_PROTO", ""}, {"LD_LIBRARY_PATH", ""}});
  TransportOptions options = with_plugin("softmlx5");
  options.ranks = 2;
  options.token = "0123456789abcdef0123456789abcdef";
  options.link = "hdr-200";
  options.fault = "qp-error";
  CHECK(variables_of("ib", options) ==
        kNetOnly +
            std::string("NCCL_NET=IB NCCL_IB_HCA==mlx5_0 NCCL_NET_GDR_LEVEL=LOC NCCL_DMABUF_ENABLE=0 "
                        "LD_LIBRARY_PATH=") +
            ibgda::lookalikes_folder() +
            (" SOFTMLX5_FABRIC=0123456789abcdef0123456789abcdef SOFTMLX5_LINK=hdr-200 "
             "SOFTMLX5_FAULT=qp-error NCCL_PROTO=^LL128"));
  CHECK(over_software_card("ib", options));
  CHECK(over_software_card("ibgda", options));
  CHECK_FALSE(over_software_card("sisci", options));
  CHECK(contains(refusal_of([&] { variables_of("ib", options, {}, 1); }), "joins ranks of one machine only"));
}

TEST_CASE(
    "kernels on GIN over softmlx5: a thread of NCCL for ib, GDAKI for ibgda, each rank a host of its own") {
  const Variables unset(Wanted{{"NCCL_PROTO", ""}, {"LD_LIBRARY_PATH", ""}});
  TransportOptions options = with_plugin("softmlx5");
  options.ranks = 2;
  options.rank = 1;
  NcclSettings settings;
  settings.device_api = DeviceReach::kGin;
  for (const auto& [transport, type] : {std::pair("ib", "2"), {"ibgda", "3"}})
    CHECK(variables_of(transport, options, settings, 0, 22809)
              .starts_with("NCCL_HOSTID=collbench-1 NCCL_MNNVL_ENABLE=0 NCCL_GIN_ENABLE=1 NCCL_GIN_TYPE=" +
                           std::string(type) + " NCCL_CUMEM_ENABLE=1 NCCL_NET=IB NCCL_IB_HCA==mlx5_0 "));
}

TEST_CASE("sisci: our plugin by path and name, its options, no LL128 unless a protocol was asked for") {
  const Variables unset(Wanted{{"NCCL_PROTO", ""}});
  TransportOptions options;
  options.token = "0123456789abcdef0123456789abcdef";
  options.rank = 3;
  options.link = "pcie-gen3-x8";
  options.fault = "drop:0.1";
  options.library = "softntb";
  options.path_proof = false;
  const std::string plugin = sisci_plugin_path();
  REQUIRE(plugin == std::filesystem::canonical(COLLBENCH_NET_PLUGIN).string());
  const std::string expected =
      kNetOnly + ("NCCL_NET_PLUGIN=" + plugin) +
      " NCCL_NET=SISCI COLLBENCH_SISCI_LIBRARY=softntb"
      " COLLBENCH_SISCI_TOKEN=0123456789abcdef0123456789abcdef COLLBENCH_SISCI_ADAPTER=3"
      " COLLBENCH_SISCI_LINK=pcie-gen3-x8 COLLBENCH_SISCI_FAULT=drop:0.1"
      " COLLBENCH_SISCI_PATH_PROOF=0";
  CHECK(variables_of("sisci", options) == expected + " NCCL_PROTO=^LL128");
  NcclSettings settings;
  settings.protocol = "LL128";
  CHECK(variables_of("sisci", options, settings) == expected + " NCCL_PROTO=LL128");
  const Variables set(Wanted{{"NCCL_PROTO", "Simple"}});
  CHECK(variables_of("sisci", options) == expected);
}

TEST_CASE("sisci with GIN: each rank a host of its own, and the proxy of NCCL that our plugin serves") {
  const Variables unset(Wanted{{"NCCL_PROTO", ""}, {"NCCL_MIN_NCHANNELS", ""}});
  TransportOptions options;
  options.rank = 3;
  options.library = "softntb";
  NcclSettings settings;
  settings.device_api = DeviceReach::kGin;
  CHECK(variables_of("sisci", options, settings)
            .starts_with("NCCL_HOSTID=collbench-3 NCCL_MNNVL_ENABLE=0 NCCL_GIN_ENABLE=1 NCCL_GIN_TYPE=2 "
                         "NCCL_CUMEM_ENABLE=1 NCCL_NET_PLUGIN=" +
                         sisci_plugin_path() + " NCCL_NET=SISCI "));
  CHECK(contains(refusal_of([&] { variables_of("sisci", options, settings, 0, 22803); }),
                 "unavailable: GIN needs NCCL 2.28.7"));
}

TEST_CASE("sisci: channels enough for an emulation that nothing slows down, the user's choice before ours") {
  TransportOptions options;
  options.token = "0123456789abcdef0123456789abcdef";
  options.library = "softntb";
  {
    const Variables unset(Wanted{{"NCCL_MIN_NCHANNELS", ""}});
    CHECK(contains(variables_of("sisci", options), " NCCL_MIN_NCHANNELS=4"));
    options.link = "pcie-gen3-x8";
    CHECK_FALSE(contains(variables_of("sisci", options), "NCCL_MIN_NCHANNELS"));
  }
  const Variables set(Wanted{{"NCCL_MIN_NCHANNELS", "2"}});
  options.link = "none";
  CHECK_FALSE(contains(variables_of("sisci", options), "NCCL_MIN_NCHANNELS"));
}

TEST_CASE("what was set for the first asking is no choice of the user for the second") {
  const Variables unset(Wanted{{"NCCL_MIN_NCHANNELS", ""}, {"NCCL_PROTO", ""}});
  TransportOptions options;
  options.token = "0123456789abcdef0123456789abcdef";
  options.library = "softntb";
  const Environment first = environment_for("sisci", options, {}, "/dev/null");
  set_environment(first);
  CHECK(environment_for("sisci", options, {}, "/dev/null") == first);
  setenv("NCCL_PROTO", "Simple", 1);
  CHECK_FALSE(contains(variables_of("sisci", options), "NCCL_PROTO"));
  for (const auto& [name, value] : first) unsetenv(name.c_str());
}

TEST_CASE("plugin: the name that it exports pins it") {
  CHECK(variables_of("plugin", with_plugin(COLLBENCH_MOCK_PLUGIN)) ==
        kNetOnly + ("NCCL_NET_PLUGIN=" + std::string(COLLBENCH_MOCK_PLUGIN)) + " NCCL_NET=Mock");
  TransportOptions bound = with_plugin(COLLBENCH_MOCK_PLUGIN);
  bound.interface_name = "eth1";
  CHECK(contains(variables_of("plugin", bound), " NCCL_NET=Mock NCCL_SOCKET_IFNAME==eth1"));
  CHECK(plugin_name(COLLBENCH_NET_PLUGIN) == "SISCI");
  CHECK(plugin_file("plugin", with_plugin("/x/y.so")) == "/x/y.so");
  CHECK(plugin_file("socket", with_plugin("/x/y.so")).empty());
}

TEST_CASE("NCCL before 2.21 gets a plugin by the name in its file's name") {
  CHECK(contains(variables_of("plugin", with_plugin(COLLBENCH_NET_PLUGIN), {}, 0, 22005),
                 "NCCL_NET_PLUGIN=sisci "));
  CHECK(contains(refusal_of([] { variables_of("plugin", with_plugin(COLLBENCH_MOCK_PLUGIN), {}, 0, 22005); }),
                 "NCCL before 2.21 loads net plugins only by names like libnccl-net-x.so"));
}

TEST_CASE("a plugin that is missing or none is refused") {
  CHECK(contains(refusal_of([] { variables_of("plugin"); }), "no net plugin named"));
  CHECK(contains(refusal_of([] { variables_of("plugin", with_plugin("/nowhere/x.so")); }),
                 "net plugin /nowhere/x.so cannot be loaded"));
  CHECK(contains(refusal_of([] { variables_of("plugin", with_plugin(COLLBENCH_OLD_NCCL)); }),
                 "exports no ncclNetPlugin_v6 to ncclNetPlugin_v12"));
}

TEST_CASE("ranks that share a GPU are hosts of their own, so P2P and SHM cannot be") {
  NcclSettings settings;
  settings.share_gpu = true;
  TransportOptions options;
  options.rank = 1;
  CHECK(contains(variables_of("socket", options, settings), "NCCL_HOSTID=collbench-1"));
  for (const char* transport : {"p2p", "shm"})
    CHECK(contains(refusal_of([&] { variables_of(transport, options, settings); }),
                   std::string(transport) + " cannot be measured with ranks that share a GPU"));
}

TEST_CASE("p2p and shm end at the machine, symmetric windows need P2P") {
  TransportOptions options;
  options.ranks = 4;
  CHECK(contains(refusal_of([&] { variables_of("p2p", options, {}, 2); }),
                 "2 of 4 ranks are on other machines"));
  NcclSettings settings;
  settings.registration = Registration::kSymmetric;
  CHECK(contains(refusal_of([&] { variables_of("shm", options, settings); }), "symmetric windows"));
  CHECK_NOTHROW(variables_of("p2p", options, settings));
}

TEST_CASE("every transport leaves evidence; lines of every call only where nothing is timed") {
  NcclSettings settings;
  settings.algorithm = "ring";
  for (const auto& transport : transport_names()) {
    CAPTURE(transport);
    auto options = with_plugin(transport == "plugin" ? COLLBENCH_MOCK_PLUGIN : "");
    settings.attest = false;
    auto environment = environment_for(transport, options, settings, kDebugFile);
    CHECK(value_in(environment, "NCCL_ALGO") == "ring");
    CHECK(value_in(environment, "NCCL_DEBUG") == "INFO");
    CHECK(value_in(environment, "NCCL_DEBUG_FILE") == kDebugFile);
    CHECK(value_in(environment, "NCCL_DEBUG_SUBSYS") == "INIT,NET,P2P,SHM,ENV,GRAPH");
    settings.attest = true;
    environment = environment_for(transport, options, settings, kDebugFile);
    CHECK(value_in(environment, "NCCL_DEBUG_SUBSYS") == "INIT,NET,P2P,SHM,ENV,GRAPH,TUNING,COLL");
  }
}

TEST_CASE("an unknown transport is refused with the list of known ones") {
  CHECK(refusal_of([] { variables_of("tcp"); }) ==
        "invalid_argument: nccl: there is no transport \"tcp\"; there are p2p, shm, socket, ib, sisci, "
        "plugin, ibgda");
}
