#include "emulated/conformance/plugin/bench.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/error.h"
#include "core/log.h"

namespace collbench::conformance::net {
namespace {

/// Maximum number of log messages that are stored. The first ones explain a failure, and some plugins repeat
/// the same text for each message.
constexpr std::size_t kMaxLogged = 100;

std::vector<std::string>& logged_failures() {
  static std::vector<std::string> lines;
  return lines;
}

/// Registrations of the send buffer and the receive buffer of one message.
struct PairRegions {
  PairRegions(collbench::plugin::ForeignNet& plugin, const CommPair& pair, std::vector<char>& from,
              std::vector<char>& to)
      : net(plugin), ends(pair) {
    if (!from.empty()) source = net.register_memory(ends.out, from.data(), from.size(), MemoryKind::kHost);
    if (!to.empty()) target = net.register_memory(ends.in, to.data(), to.size(), MemoryKind::kHost);
  }
  ~PairRegions() {
    if (source != nullptr) net.deregister_memory(ends.out, source);
    if (target != nullptr) net.deregister_memory(ends.in, target);
  }
  PairRegions(const PairRegions&) = delete;
  PairRegions& operator=(const PairRegions&) = delete;
  collbench::plugin::ForeignNet& net;
  CommPair ends;
  void* source = nullptr;
  void* target = nullptr;
};

constexpr char kRoom = '\x5a', kLetGo = '\xa5';

/// Compares received with sent data, as many bytes as both have.
/// @throws TestFailure naming the first byte that differs. The text also says if that byte was never written,
/// or if it shows that the plugin read the send buffer after it had reported isend as done
void expect_same_start(const std::vector<char>& sent, const std::vector<char>& received) {
  const std::size_t bytes = std::min(sent.size(), received.size());
  std::size_t wrong = 0;
  while (wrong < bytes && received[wrong] == sent[wrong]) ++wrong;
  if (wrong == bytes) return;
  const char seen = received[wrong];
  throw TestFailure{std::to_string(sent.size()) + " bytes as sent",
                    "the first wrong one is byte " + std::to_string(wrong) +
                        (seen == kRoom    ? ": still untouched when test said that irecv was done"
                         : seen == kLetGo ? ": written after test said that isend was done"
                                          : "")};
}

}  // namespace

PluginBench::PluginBench(const PluginTarget& target) : path(target.path) {
  alarm(kAlarmS);
  set_log_sink([](LogLevel, const std::string& text) {
    if (logged_failures().size() < kMaxLogged) logged_failures().push_back(text);
    std::fprintf(stderr, "%s\n", text.c_str());  // printed for the case that the plugin crashes next
  });
}

collbench::plugin::ForeignNet& PluginBench::net() {
  if (net_ == nullptr) try {
      net_ = collbench::plugin::open_foreign_net(path);
    } catch (const Error& error) {
      std::string words;
      for (const std::string& line : logged_failures()) words += "; " + line;
      throw TestFailure{"the plugin can be loaded and used", error.what() + words};
    }
  return *net_;
}

std::vector<std::string> PluginBench::close_failures() {
  std::vector<std::string> found;
  for (const std::string& line : logged_failures())
    if (line.find(" failed with ") != std::string::npos) found.push_back(line);
  return found;
}

void* PluginBench::listen(ConnectHandle& handle) {
  void* listener = net().listen(0, handle);
  expect(listener != nullptr, "listen gives a comm", "null");
  return listener;
}

CommPair PluginBench::connect(void* listener, const ConnectHandle& handle) {
  CommPair pair;
  ConnectHandle copy = handle;  // plugins keep the state of an attempt in the handle
  until("connect and accept come to an end", [&] {
    if (pair.out == nullptr) pair.out = net().connect(0, copy);
    if (pair.in == nullptr) pair.in = net().accept(listener);
    return pair.out != nullptr && pair.in != nullptr;
  });
  return pair;
}

CommPair PluginBench::connect() {
  ConnectHandle handle{};
  void* listener = listen(handle);
  const CommPair pair = connect(listener, handle);
  net().close_listen(listener);  // NCCL closes the listener at once too
  return pair;
}

void PluginBench::close(const CommPair& pair) {
  net().close_send(pair.out);
  net().close_recv(pair.in);
}

PluginBench::ReceivedMessage PluginBench::transfer(const CommPair& pair, const std::vector<char>& sent,
                                                   std::size_t room) {
  std::vector<char> from = sent, to(room, kRoom);
  ReceivedMessage arrived{{}, 0};
  const PairRegions regions(net(), pair, from, to);
  void* data = to.data();
  int tag = 0;
  void* region = regions.target;
  void* in = nullptr;
  void* out = nullptr;
  // Alternates like two ranks: a plugin may accept neither before it has seen both.
  until("irecv takes a buffer and isend a message", [&] {
    if (in == nullptr) in = net().irecv(pair.in, 1, &data, &room, &tag, &region);
    if (out == nullptr) out = net().isend(pair.out, from.data(), from.size(), 0, regions.source);
    return in != nullptr && out != nullptr;
  });
  bool sends = true, receives = true;
  const WaitLimit limit;
  while (sends || receives) {
    int size = 0;
    expect(!limit.is_over(), "isend and irecv are done",
           sends && receives ? "neither within 5 s"
           : sends           ? "isend not within 5 s"
                             : "irecv not within 5 s, isend is done");
    // Acts at once like NCCL: the sender reuses its memory, the receiver reads the data.
    if (sends && net().test(out, &size)) {
      sends = false;
      std::fill(from.begin(), from.end(), kLetGo);
    }
    if (receives && net().test(in, &arrived.size)) {
      receives = false;
      arrived.data = to;
      expect_same_start(sent, arrived.data);
    }
  }
  return arrived;
}

std::vector<char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<char> data(bytes);
  unsigned state = seed * 2654435761U + 1;
  for (char& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  return data;
}

}  // namespace collbench::conformance::net
