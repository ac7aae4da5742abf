// Two processes: data between them, and the death of one.
#include <signal.h>
#include <unistd.h>

#include "core/error.h"
#include "emulated/conformance/plugin/bench.h"
#include "emulated/conformance/runner.h"

namespace collbench::conformance::net {
namespace {

constexpr std::size_t kBytes = 4096;

enum class PeerCommand : char { kSend, kStay };

/// Makes a listener, has the second process connect to it, and returns the receive comm.
/// @param word what the second process does with its end
void* receiver(PluginBench& bench, PeerCommand word) {
  ConnectHandle handle{};
  void* listener = bench.listen(handle);
  put(bench.other_end, word);
  put(bench.other_end, handle);
  void* comm = nullptr;
  take<char>(bench.other_end);  // the peer is about to call connect
  bench.until("accept comes to an end", [&] { return (comm = bench.net().accept(listener)) != nullptr; });
  bench.net().close_listen(listener);
  return comm;
}

void between(PluginBench& bench) {
  void* comm = receiver(bench, PeerCommand::kSend);
  std::vector<char> data(kBytes);
  void* region = bench.net().register_memory(comm, data.data(), data.size(), MemoryKind::kHost);
  void* at = data.data();
  std::size_t room = data.size();
  int tag = 0, size = 0;
  void* request = nullptr;
  bench.until("irecv takes a buffer",
              [&] { return (request = bench.net().irecv(comm, 1, &at, &room, &tag, &region)) != nullptr; });
  bench.until("the message arrives", [&] { return bench.net().test(request, &size); });
  expect(data == pattern(kBytes, 7), "the data of the other process", "others");
  bench.net().deregister_memory(comm, region);
  // NCCL closes both ends together, and a plugin may wait for the other end to close
  put(bench.other_end, 'e');
  bench.net().close_recv(comm);
}

void death(PluginBench& bench) {
  void* comm = receiver(bench, PeerCommand::kStay);
  take<char>(bench.other_end);  // the peer is connected
  std::vector<char> data(kBytes);
  void* region = bench.net().register_memory(comm, data.data(), data.size(), MemoryKind::kHost);
  void* at = data.data();
  std::size_t room = data.size();
  int tag = 0, size = 0;
  void* request = nullptr;
  const auto is_done = [&] {
    if (request == nullptr) request = bench.net().irecv(comm, 1, &at, &room, &tag, &region);
    return request != nullptr && bench.net().test(request, &size);
  };
  const WaitLimit limit;
  try {
    const bool is_early = is_done();
    kill(bench.peer, SIGKILL);
    while (!is_early && !is_done())
      if (limit.is_over()) throw TestSkipped{"no error within 5 s; NCCL would wait until it is aborted"};
    throw TestFailure{"no message of a process that was killed", "test says that it is done"};
  } catch (const Error&) {
    // The expected result.
  }
}

constexpr Test<PluginBench> kProcesses[] = {{"moves data between two processes", between},
                                            {"reports the death of the other process", death}};

}  // namespace

const std::span<const Test<PluginBench>> process_tests = kProcesses;

void serve_peer(const PluginTarget& target, int socket) {
  serve_with<PluginBench>(target, [&](PluginBench& bench) {
    bench.net();
    const PeerCommand word = take<PeerCommand>(socket);
    auto handle = take<ConnectHandle>(socket);
    put(socket, 'c');
    void* comm = nullptr;
    bench.until("connect comes to an end",
                [&] { return (comm = bench.net().connect(0, handle)) != nullptr; });
    if (word == PeerCommand::kStay) {
      put(socket, 's');
      for (;;) pause();
    }
    auto data = pattern(kBytes, 7);
    void* region = bench.net().register_memory(comm, data.data(), data.size(), MemoryKind::kHost);
    void* request = nullptr;
    int size = 0;
    bench.until("isend takes a message", [&] {
      return (request = bench.net().isend(comm, data.data(), data.size(), 0, region)) != nullptr;
    });
    bench.until("the message is sent", [&] { return bench.net().test(request, &size); });
    take<char>(socket);
    bench.net().deregister_memory(comm, region);
    bench.net().close_send(comm);
    char byte = 0;
    [[maybe_unused]] const ssize_t n = read(socket, &byte, 1);  // waits until the test has ended
  });
}

}  // namespace collbench::conformance::net
