// Tests of the RAS client against a fake service on a socket of this machine.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "agent/forensics/forensics.h"
#include "agent/line_channel.h"

using namespace collbench::agent;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Accepts one connection, answers each line it knows, and keeps what it received.
class FakeRas {
 public:
  explicit FakeRas(std::string greeting = "SERVER PROTOCOL 2\n", std::string status = "")
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listener_.get(), 1) == 0);
    REQUIRE(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, greeting, status] { serve(greeting, status); });
  }
  ~FakeRas() {
    if (thread_.joinable()) thread_.join();
  }
  FakeRas(const FakeRas&) = delete;
  FakeRas& operator=(const FakeRas&) = delete;
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string told() {
    thread_.join();
    return told_;
  }

 private:
  void serve(const std::string& greeting, const std::string& status) {
    FileDescriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    LineReader reader;
    bool open = true;
    const auto answer = [&](const std::string& line) {
      told_ += line + ";";
      const std::string text = line.starts_with("CLIENT")    ? greeting
                               : line.starts_with("TIMEOUT") ? "OK\n"
                                                             : status;
      open = line != "STATUS";
      if (write(client.get(), text.data(), text.size()) < 0) open = false;
    };
    while (open && reader.read_some(client.get(), answer)) {
    }
  }

  FileDescriptor listener_;
  int port_ = 0;
  std::string told_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("the state of the job is asked for in RAS's words and comes as lines") {
  FakeRas ras("SERVER PROTOCOL 2\n", "NCCL version 2.28.9\n\nGroup 0: 1 rank is missing  \r\n");
  CHECK(ask_ras(ras.address(), 60 * kSecond) ==
        std::vector<std::string>{"NCCL version 2.28.9", "Group 0: 1 rank is missing"});
  CHECK(ras.told() == "CLIENT PROTOCOL 2;TIMEOUT 1;STATUS;");
}

TEST_CASE("an answer without end is bounded in lines and in their length") {
  std::string status;
  for (int i = 0; i < 500; ++i) status += std::string(90, 'x') + "\n";
  FakeRas ras("SERVER PROTOCOL 2\n", std::string(5000, 'y') + "\n" + status);
  const auto lines = ask_ras(ras.address(), 60 * kSecond);
  REQUIRE(lines.size() == 60);
  CHECK(lines.front().size() == 300);
}

TEST_CASE("another server on that port is no RAS, nobody there is none either") {
  FakeRas other("HTTP/1.1 400 Bad Request\n");
  CHECK(ask_ras(other.address(), kSecond).empty());
  CHECK(ask_ras("127.0.0.1:1", kSecond).empty());
  CHECK(ask_ras("no address", kSecond).empty());
  CHECK(ask_ras("[::1]:1", kSecond).empty());
}

TEST_CASE("a server that says nothing is given up when the time is over") {
  FakeRas silent("");
  CHECK(ask_ras(silent.address(), kSecond / 20).empty());
}
