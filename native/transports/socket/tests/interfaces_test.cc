#include "transports/socket/interfaces.h"

#include <sstream>

#include "transports/socket/connect.h"
#include "transports/socket/tests/pair.h"

using namespace collbench;
using namespace collbench::socket_tests;

TEST_CASE("without a name, ranks talk over lo and the device says so") {
  const auto transport = create_socket(options_with(0, ""));
  const auto devices = transport->devices();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name == "lo");
  CHECK(devices[0].detail.network_interface == "lo");
  CHECK(devices[0].medium == Medium::kHardware);
  CHECK(devices[0].max_receives == 1);
  CHECK_FALSE(devices[0].cuda_memory);
}

TEST_CASE("between machines another interface than lo is chosen, and the device says that it was") {
  TransportOptions options = options_with(1, "");
  options.spans_hosts = true;
  bool reaches_others = false;
  for (const auto& interface : socket::list_interfaces())
    reaches_others = reaches_others || (interface.up && !interface.loopback && !interface.addresses.empty());
  if (!reaches_others) {
    CHECK(contains(error_of([&] { create_socket(options); }).what(), "lo does not reach other machines"));
    return;
  }
  const DeviceProperties device = create_socket(options)->devices()[0];
  CHECK(device.name != "lo");
  CHECK(device.detail.chose_interface == true);
  options.interface_name = "lo";  // an explicit name is used even if several hosts take part
  CHECK(!create_socket(options)->devices()[0].detail.chose_interface);
}

TEST_CASE("of several default routes that with the lowest metric counts, and only those that are up") {
  std::istringstream routes(
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
      "ib0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n"
      "down0\t00000000\t0100000A\t0002\t0\t0\t0\t00000000\t0\t0\t0\n"
      "wlan0\t00000000\t0100000A\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
      "eth1\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");
  CHECK(socket::default_route_interface(routes) == "eth1");
  std::istringstream none("Iface\tDestination\n");
  CHECK(socket::default_route_interface(none).empty());
}

TEST_CASE("the number of streams asked for is recorded") {
  CHECK(create_socket(options_with(4))->devices()[0].detail.streams == 4);
}

TEST_CASE("listeners are bound to the planned interface's address, not to all") {
  const auto transport = create_socket(options_with(1, "lo"));
  const auto listener = transport->listen(0);
  const auto peer = socket::read_handle(listener->handle(), 0);
  CHECK(peer.address.host_text() == "127.0.0.1");
  CHECK(peer.address.port() != 0);
}

TEST_CASE("IPv6 carries data too, where lo has ::1") {
  const auto interfaces = socket::list_interfaces();
  const bool has_ipv6 = contains(socket::describe_interfaces(interfaces), "::1");
  if (!has_ipv6) {
    MESSAGE("lo has no IPv6 address here: not tested");
    return;
  }
  const auto a = create_socket(options_with(2, "lo/ipv6")), b = create_socket(options_with(2, "lo/ipv6"));
  auto listener = b->listen(0);
  CHECK(socket::read_handle(listener->handle(), 0).address.host_text() == "::1");
  auto connecting = a->connect(0, listener->handle());
  Channel channel = finish(*listener, *connecting);
  const auto data = pattern(600'000, 1);
  std::vector<std::uint8_t> into(data.size());
  CHECK(transfer(channel, data, into) == data.size());
  CHECK(into == data);

  const auto ipv4 = create_socket(options_with(1, "lo/ipv4"));
  const Error error = error_of([&] { ipv4->connect(0, b->listen(0)->handle()); });
  CHECK(contains(error.what(), "one is IPv4, the other IPv6"));
}

TEST_CASE("an interface that does not exist is named together with those that do") {
  const Error error = error_of([] { create_socket(options_with(1, "nosuch0")); });
  CHECK(error.code() == ErrorCode::kUnavailable);
  CHECK(contains(error.what(), "no network interface nosuch0"));
  CHECK(contains(error.what(), "lo (up, 127.0.0.1"));
  CHECK(contains(error_of([] { create_socket(options_with(1, "lo/ipx")); }).what(), "not \"ipx\""));
}

TEST_CASE("an interface that is down or has no address is refused with that reason") {
  bool tested = false;
  for (const auto& interface : socket::list_interfaces()) {
    if (interface.up && !interface.addresses.empty()) continue;
    tested = true;
    const Error error = error_of([&] { create_socket(options_with(1, interface.name)); });
    CHECK(error.code() == ErrorCode::kUnavailable);
    CHECK(contains(error.what(), interface.name + (interface.up ? " has no address" : " is down")));
  }
  if (!tested) MESSAGE("every interface of this machine is up and has an address: not tested");
}

TEST_CASE("between ranks of one machine another interface than lo is named for what it is") {
  for (const auto& interface : socket::list_interfaces()) {
    if (interface.loopback || !interface.up || interface.addresses.empty()) continue;
    const auto a = create_socket(options_with(1, interface.name)),
               b = create_socket(options_with(1, interface.name));
    Channel channel = connect_channel(*a, *b);
    CHECK(a->devices()[0].detail.network_interface == interface.name);
    CHECK(a->devices()[0].detail.carried_by_loopback == true);
  }
}

TEST_CASE("probe answers without starting anything: what it would be, or why not and what to do") {
  const TransportEntry* entry = find_transport("socket");
  REQUIRE(entry != nullptr);
  const Availability lo = entry->probe(TransportOptions{});
  CHECK(lo.available);
  CHECK(lo.medium == Medium::kHardware);
  CHECK(lo.detail.network_interface == "lo");
  CHECK(lo.reason.empty());
  const Availability none = entry->probe(options_with(1, "nosuch0"));
  CHECK_FALSE(none.available);
  CHECK(contains(none.reason, "nosuch0"));
  CHECK_FALSE(none.remedy.empty());
}
