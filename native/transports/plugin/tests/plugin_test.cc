// The host for foreign ncclNet plugins, tested with our own plugin in every interface version and a mock of
// version 6.
#include "transports/plugin/transport.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

TransportOptions hosting(const std::string& library) {
  TransportOptions options;
  options.library = library;
  // all tests share one fabric, because a process opens one SISCI library
  options.token = "plugin-test-" + std::to_string(getpid());
  return options;
}

template <int kVersion>
std::unique_ptr<Transport> make_version(const TransportOptions& options) {
  return create_plugin_version(options, kVersion);
}

}  // namespace

// Must run first, because interfaces up to v10 cannot close a plugin again.
TEST_CASE("a plugin whose init fails says so") {
  TransportOptions options = hosting(COLLBENCH_NET_PLUGIN);
  options.link = "no-such-link";
  const Availability answer = probe_plugin(options);
  CHECK_FALSE(answer.available);
  CHECK(contains(answer.reason, "init failed with ncclSystemError"));
}

TEST_CASE("every interface version of our plugin, 6 to 12, moves data and says that it is emulated") {
  constexpr Maker kMakers[] = {make_version<6>,  make_version<7>,  make_version<8>, make_version<9>,
                               make_version<10>, make_version<11>, make_version<12>};
  int version = 6;
  for (const Maker make : kMakers) {
    CAPTURE(version);
    Channel channel = connect_pair(make, hosting(COLLBENCH_NET_PLUGIN));
    const DeviceProperties device = channel.from->devices().at(0);
    CHECK(device.medium == Medium::kEmulated);
    CHECK(device.detail.net_plugin == "SISCI");
    CHECK(device.detail.net_plugin_version == version);
    CHECK(device.max_receives == 1);
    CHECK(device.speed_mbps > 0);
    for (const std::size_t bytes : {0UL, 8UL, 100'000UL, 2'000'000UL}) {
      const auto data = pattern(bytes, bytes);
      CHECK(transfer(channel, data, bytes, true) == data);
    }
    ++version;
  }
}

TEST_CASE("the newest version is taken when none is asked for") {
  auto transport = create_plugin(hosting(COLLBENCH_NET_PLUGIN));
  CHECK(transport->devices().at(0).detail.net_plugin_version == 12);
  const TransportDetail mock = create_plugin(hosting(COLLBENCH_MOCK_PLUGIN))->devices().at(0).detail;
  CHECK(mock.net_plugin == "Mock");
  CHECK(mock.net_plugin_version == 6);
}

TEST_CASE("properties of a version 6 plugin become ours") {
  auto transport = create_plugin(hosting(COLLBENCH_MOCK_PLUGIN));
  const auto devices = transport->devices();
  REQUIRE(devices.size() == 2);
  CHECK(devices[1].name == "mock0");
  CHECK(devices[1].speed_mbps == 2000);
  CHECK(devices[1].latency_us == doctest::Approx(2.5));
  CHECK(devices[1].max_receives == 8);
  CHECK(devices[1].medium == Medium::kUnknown);
  CHECK(devices[1].pci_path.empty());
  auto listener = transport->listen(0);
  CHECK(listener->accept() == nullptr);
  CHECK(transport->connect(1, listener->handle())->poll() == nullptr);
  CHECK(error_of([&] { transport->connect(0, ConnectHandle{})->poll(); }).code() == ErrorCode::kInternal);
  CHECK(error_of([&] { transport->listen(2); }).code() == ErrorCode::kInvalidArgument);
}

TEST_CASE("a plugin that is missing, is no plugin or lacks the wanted version is refused with the reason") {
  CHECK(contains(probe_plugin(hosting("/nowhere/libnccl-net-x.so")).reason,
                 "/nowhere/libnccl-net-x.so cannot be loaded"));
  CHECK(contains(probe_plugin(hosting("")).reason, "no net plugin named"));
  CHECK(contains(probe_plugin(hosting(COLLBENCH_NOT_PLUGIN)).reason, "exports no ncclNetPlugin_v6"));
  const Error error = error_of([] { create_plugin_version(hosting(COLLBENCH_MOCK_PLUGIN), 9); });
  CHECK(contains(error.what(), "exports no ncclNetPlugin_v9"));
}

TEST_CASE("the registry finds the host by plugin:PATH") {
  REQUIRE(find_transport("plugin:/some/lib.so") != nullptr);
  CHECK(find_transport("plugin:/some/lib.so")->name == "plugin");
  CHECK(find_transport("socket:lo") == nullptr);
}
