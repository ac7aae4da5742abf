// Behaviour of the sisci transport if the device below gives wrong results, breaks or is missing.
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/log.h"
#include "transports/sisci/library.h"
#include "transports/sisci/transport.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

std::vector<std::string> logged;

TransportOptions emulation(const std::string& fault = "") {
  TransportOptions options;
  options.library = "softntb";
  options.token = fresh_token();
  options.fault = fault;
  return options;
}

TransportDetail detail(Channel& channel) { return channel.from->devices().front().detail; }

/// A temporary folder that is deleted at the end of the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "collbench-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE(
    "with a working device large messages go by DMA between registered memory, and the medium is emulated") {
  Channel channel = connect_pair(create_sisci, emulation());
  CHECK(detail(channel).software_card == "softntb");
  CHECK(detail(channel).link == "none");
  CHECK(detail(channel).dma == DmaPath::kRegistered);
  CHECK(channel.from->devices().front().medium == Medium::kEmulated);
}

TEST_CASE(
    "without an IOMMU the proof notices that nothing moved, says so once, and user-memory DMA carries the "
    "data") {
  logged.clear();
  set_log_sink([](LogLevel, const std::string& text) { logged.push_back(text); });
  Channel channel = connect_pair(create_sisci, emulation("no-iommu"));
  set_log_sink(nullptr);
  REQUIRE(logged.size() == 1);
  CHECK(contains(logged[0], "reports success but moved nothing (65536 of 65536"));
  CHECK(contains(logged[0], "IOMMU"));
  CHECK(detail(channel).dma == DmaPath::kUserMemory);
  for (const std::size_t bytes : {100UL, 10'000UL, 1'000'000UL}) {
    const auto data = pattern(bytes, bytes);
    CHECK(transfer(channel, data, bytes, true) == data);
  }
}

TEST_CASE("with the proof switched off, return codes hide that nothing arrives: the data are wrong") {
  TransportOptions options = emulation("no-iommu");
  options.path_proof = false;
  Channel channel = connect_pair(create_sisci, options);
  const auto data = pattern(1'000'000, 1);
  const auto add_received = transfer(channel, data, data.size(), true);
  CHECK(add_received == std::vector<std::uint8_t>(data.size(), 0xEE));
  // Slots lie in the driver's own memory and are not affected.
  const auto small = pattern(500, 2);
  CHECK(transfer(channel, small, small.size(), true) == small);
}

TEST_CASE("a driver that flips a bit in every DMA is refused: no path can be trusted") {
  const Error error = error_of([] { connect_pair(create_sisci, emulation("bit-flip:every=1")); });
  CHECK(error.code() == ErrorCode::kUnavailable);
  CHECK(contains(error.what(), "no DMA path works"));
}

TEST_CASE("lost interrupts delay a connection, they do not prevent it") {
  Channel channel = connect_pair(create_sisci, emulation("lost-interrupt:every=2"));
  const auto data = pattern(5000, 1);
  CHECK(transfer(channel, data, data.size(), false) == data);
}

TEST_CASE("a link that goes down ends the connection with an error") {
  Channel channel = connect_pair(create_sisci, emulation("link-down:after-bytes=1000000"));
  const std::vector<std::uint8_t> data(300'000, 1);
  const Error error = error_of([&] {
    if (transfer(channel, data, data.size(), false).empty()) throw Error(ErrorCode::kInternal, "empty");
  });
  CHECK(error.code() == ErrorCode::kConnectionLost);
}

TEST_CASE("a message larger than its receive is an error, not an overrun") {
  Channel channel = connect_pair(create_sisci, emulation());
  std::vector<std::uint8_t> into(50), data(100);
  Request* in = post(*channel.in, into.data(), into.size());
  CHECK(channel.out->isend(data.data(), data.size(), 0, nullptr) != nullptr);
  const Error error = error_of([&] { channel.in->test(in, nullptr); });
  CHECK(error.code() == ErrorCode::kProtocol);
  CHECK(contains(error.what(), "100 bytes arrived for a receive of 50"));
}

TEST_CASE("a large message for a receive that expected a small one is an error on the receiver, not a hang") {
  Channel channel = connect_pair(create_sisci, emulation());
  std::vector<std::uint8_t> into(50), data(100'000);
  Request* in = post(*channel.in, into.data(), into.size());
  Request* out = channel.out->isend(data.data(), data.size(), 0, nullptr);
  REQUIRE(out != nullptr);
  const Error error = error_of([&] {
    channel.out->test(out);
    channel.in->test(in, nullptr);
  });
  CHECK(error.code() == ErrorCode::kProtocol);
}

TEST_CASE("a handle of something else is refused") {
  TransportOptions options = emulation();
  auto to = create_sisci(options);
  auto listener = to->listen(0);
  ConnectHandle foreign{};
  const Error error = error_of([&] { to->connect(0, foreign); });
  CHECK(error.code() == ErrorCode::kProtocol);
}

TEST_CASE("a libsisci.so that exists but is broken is named, never passed over for the emulation") {
  const Folder folder;
  const auto file = folder.path / "libsisci.so";
  std::ofstream(file) << "not a library";
  REQUIRE(setenv("LD_LIBRARY_PATH", folder.path.c_str(), 1) == 0);
  TransportOptions options = emulation();
  options.library.clear();
  const Availability answer = probe_sisci(options);
  unsetenv("LD_LIBRARY_PATH");
  CHECK_FALSE(answer.available);
  CHECK(contains(answer.reason, file.string() + " cannot be loaded"));
  CHECK(contains(answer.reason, "--sisci-library softntb"));
}

TEST_CASE("a card is found by its vendor, with or without a driver") {
  const Folder bus;
  CHECK_FALSE(sisci::find_card(bus.path.string()));
  CHECK_FALSE(sisci::find_card((bus.path / "no such folder").string()));
  for (const auto& [device, vendor] :
       {std::pair{"0000:00:1f.0", "0x8086"}, std::pair{"0000:3b:00.0", "0x11c8"}}) {
    std::filesystem::create_directory(bus.path / device);
    std::ofstream(bus.path / device / "vendor") << vendor << '\n';
  }
  CHECK(sisci::find_card(bus.path.string()) == "0000:3b:00.0");
}

TEST_CASE("a library without a SISCI function is refused by that function's name") {
  TransportOptions options = emulation();
  options.library = COLLBENCH_NOT_SISCI;
  const Availability answer = probe_sisci(options);
  CHECK_FALSE(answer.available);
  CHECK(contains(answer.reason, "has no symbol SCIInitialize"));
}

TEST_CASE("an unknown link model or fault is refused with the names that exist") {
  TransportOptions options = emulation("no-such-fault");
  const Availability answer = probe_sisci(options);
  CHECK_FALSE(answer.available);
  CHECK(contains(answer.reason, "no-such-fault"));
}
