// Behaviour and faults of foreign plugins, shown with the fixture (fake/README.md). What NCCL allows must
// work. What a host without GPU cannot use is refused with the reason. Failures while closing are logged and
// do not end the process.
#include <stdlib.h>

#include "core/log.h"
#include "transports/plugin/plugin_log.h"
#include "transports/plugin/transport.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

std::vector<std::string> logged;

/// The fixture plugin with one fault, for the lifetime of this object; records what is logged.
struct Fixture {
  explicit Fixture(const char* fault) {
    setenv("FI_FIXTURE", fault, 1);
    logged.clear();
    set_log_sink([](LogLevel, const std::string& text) { logged.push_back(text); });
  }
  ~Fixture() {
    set_log_sink(nullptr);
    unsetenv("FI_FIXTURE");
  }
};

TransportOptions foreign() {
  TransportOptions options;
  options.library = COLLBENCH_FOREIGN_PLUGIN;
  return options;
}

std::string reason_of(const char* fault) {
  const Fixture fixture(fault);
  const Availability answer = probe_plugin(foreign());
  return answer.available ? "available" : answer.reason;
}

bool was_logged(const std::string& part) {
  for (const std::string& text : logged)
    if (contains(text, part)) return true;
  return false;
}

}  // namespace

TEST_CASE("a table that init fills, an accept that blocks and sizes that are never written are no obstacle") {
  const Fixture fixture("");
  Channel channel = connect_pair(create_plugin, foreign());
  const DeviceProperties device = channel.from->devices().at(0);
  CHECK(device.detail.net_plugin == "Foreign");
  CHECK(device.detail.net_plugin_version == 9);
  CHECK(device.max_comms == 1024);
  for (const std::size_t bytes : {0UL, 8UL, 100'000UL}) {
    const auto data = pattern(bytes, bytes);
    CHECK(transfer(channel, data, bytes, true) == data);
  }
  CHECK(channel.to->counters().bytes_received == 100'008);
}

TEST_CASE("a plugin that does not say so is neither hardware nor emulated") {
  const Fixture fixture("");
  CHECK(probe_plugin(foreign()).medium == Medium::kUnknown);
}

TEST_CASE("what a host without GPU cannot use is refused with the reason") {
  CHECK(contains(reason_of("init-fails"), "init failed with ncclSystemError"));
  CHECK(contains(reason_of("no-device"), "finds no device"));
  CHECK(contains(reason_of("no-test"), "has no function test"));
  CHECK(contains(reason_of("gpu-only"), "takes no host memory (ptrSupport 2)"));
  CHECK(contains(reason_of("offload"), "driven by a GPU (netDeviceType 1)"));
  CHECK(contains(reason_of("no-messages"), "0 bytes at most (maxP2pBytes)"));
  CHECK(reason_of("") == "available");
}

TEST_CASE("the fixture refuses a message above its maxP2pBytes, so that a sender which ignores it fails") {
  const Fixture fixture("small-messages");
  Channel channel = connect_pair(create_plugin, foreign());
  const auto longest = pattern(4096, 1);
  CHECK(transfer(channel, longest, 4096, true) == longest);
  const auto longer = pattern(4097, 1);
  CHECK_THROWS_AS(channel.out->isend(longer.data(), longer.size(), 0, nullptr), Error);
  CHECK(was_logged("4097 bytes are more than maxP2pBytes"));
}

TEST_CASE("limits of the device are told") {
  {
    const Fixture fixture("small-messages");
    CHECK(create_plugin(foreign())->devices().at(0).max_message_bytes == 4096);
  }
  const Fixture fixture("one-comm");
  CHECK(create_plugin(foreign())->devices().at(0).max_comms == 1);
}

TEST_CASE("what fails while closing is told, and closing goes on") {
  {
    const Fixture fixture("dereg-fails");
    Channel channel = connect_pair(create_plugin, foreign());
    const auto data = pattern(64, 1);
    CHECK(transfer(channel, data, 64, true) == data);
    CHECK(was_logged("deregMr failed with ncclInternalError"));
  }
  const Fixture fixture("close-fails");
  {
    Channel channel = connect_pair(create_plugin, foreign());
  }
  CHECK(was_logged("closeSend failed with ncclSystemError"));
  CHECK(was_logged("closeRecv failed"));
  CHECK(was_logged("closeListen failed"));
}

TEST_CASE("of a flood of warnings a burst and one a second pass, each with the number left out") {
  plugin::LogThrottle throttle;
  std::uint64_t left_out = 0;
  for (std::uint64_t i = 0; i < plugin::LogThrottle::kBurst; ++i) REQUIRE(throttle.take(1, left_out));
  CHECK(left_out == 0);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(throttle.take(2, left_out));
  CHECK(throttle.take(1 + plugin::LogThrottle::kEachNs, left_out));
  CHECK(left_out == 1000);
  CHECK_FALSE(throttle.take(2 + plugin::LogThrottle::kEachNs, left_out));
  CHECK(throttle.take_suppressed() == 1);
  CHECK(throttle.take_suppressed() == 0);
}
