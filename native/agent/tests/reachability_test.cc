// Tests with two agents, one listening, the other probing. Both use lo, as there is only one machine.
#include "agent/forensics/reachability.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "agent/tests/agent_host.h"

using nlohmann::json;
using namespace collbench::agent;

namespace {

json request_listener(AgentHost& agent, int id, const std::string& interface = "lo") {
  agent.send({{"type", "listener"}, {"id", id}, {"interface", interface}, {"word", "sesame"}});
  json listener = agent.receive();
  REQUIRE(listener["type"] == "listener");
  CHECK(listener["id"] == id);
  return listener;
}

json try_connections(AgentHost& agent, const json& targets, const std::string& word = "sesame",
                     int timeout_ms = 20'000) {
  agent.send({{"type", "connect"},
              {"id", 7},
              {"interface", "lo"},
              {"word", word},
              {"targets", targets},
              {"timeoutMs", timeout_ms}});
  json reply = agent.receive();
  REQUIRE(reply["type"] == "connections");
  CHECK(reply["id"] == 7);
  REQUIRE(reply["results"].size() == targets.size());
  return reply["results"];
}

json target(const json& listener) { return {{"address", listener["address"]}, {"port", listener["port"]}}; }

/// A listener whose backlog takes connections that nobody answers.
class SilentListener {
 public:
  SilentListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(fd_.get(), 4) == 0);
  }
  [[nodiscard]] int port() const {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.sin_port);
  }
  void close() { fd_.reset(); }

 private:
  FileDescriptor fd_;
};

}  // namespace

TEST_CASE("a listener that gets its word gives all bytes back; several at once") {
  AgentHost host, guest;
  const json first = request_listener(host, 1), second = request_listener(host, 2);
  CHECK(first["problem"] == "");
  CHECK(first["interface"] == "lo");
  CHECK(first["address"] == "127.0.0.1");
  CHECK(first["realtimeNs"] > 1'600'000'000'000'000'000);
  const json results = try_connections(guest, json::array({target(first), target(second), target(first)}));
  for (const json& result : results) {
    CAPTURE(result.dump());
    CHECK(result["outcome"] == "through");
    CHECK(result["pathMtu"].get<int>() > 1000);
    CHECK(result["elapsedNs"] >= result["connectNs"]);
  }
}

TEST_CASE(
    "a wrong word gets nothing; a closed port is refused; who never answers is stalled, not waited for") {
  AgentHost host, guest;
  SilentListener silent, closed;
  const int closed_port = closed.port();
  closed.close();
  CHECK(try_connections(guest, json::array({target(request_listener(host, 1))}), "mellon")[0]["outcome"] ==
        "failed");
  const json targets = json::array({{{"address", "127.0.0.1"}, {"port", closed_port}},
                                    {{"address", "127.0.0.1"}, {"port", silent.port()}},
                                    {{"address", "nonsense"}, {"port", 1}}});
  const json results = try_connections(guest, targets, "sesame", 100);
  CHECK(results[0]["outcome"] == "refused");
  CHECK(results[1]["outcome"] == "stalled");
  CHECK(results[2]["outcome"] == "failed");
}

TEST_CASE("a listener on an interface that is not there says what there is") {
  AgentHost host;
  const json listener = request_listener(host, 3, "nosuch0");
  CHECK(listener["port"] == 0);
  CHECK(listener["problem"].get<std::string>().find("there is no network interface nosuch0") !=
        std::string::npos);
}

TEST_CASE("facts are told when asked for") {
  AgentHost agent;
  agent.send({{"type", "facts"}, {"id", 5}, {"plugins", {"/nowhere/libnccl-net-x.so"}}});
  const json answer = agent.receive();
  REQUIRE(answer["type"] == "facts");
  CHECK(answer["id"] == 5);
  CHECK(answer["facts"]["files"]["text"].contains("/proc/meminfo"));
  CHECK(answer["facts"]["libraries"][0]["problem"] == "No such file or directory");
  CHECK(answer["facts"]["live"]["glibc"] != "");
}
