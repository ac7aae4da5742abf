// A transport under the load of NCCL's proxy: two processes with one progress thread each, several
// connections both ways at once, messages in pieces, a few in flight per connection. A tool, not a test:
// proxy_load [sisci|socket|plugin:PATH] [registered|user] [connections 4] [in flight 4] [MiB per step 512]
// Prints GB/s of one direction per piece size; the other direction carries as much at the same time. `user`
// makes registered memory of the emulation fail, so that the user-memory path is tested and used.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/registry.h"

using namespace collbench;

namespace {

constexpr std::size_t kMaxConnections = 16;
constexpr std::size_t kMaxInFlight = 16;
constexpr std::size_t kLargestPiece = std::size_t{1} << 20;

struct Load {
  std::size_t connections = 4;
  std::size_t in_flight = 4;
  std::size_t bytes = std::size_t{512} << 20;  // bytes in one direction, all connections together
};

struct LoadMemory {
  std::atomic<int> ready[2];
  std::atomic<int> arrived{0};
  ConnectHandle handles[2][kMaxConnections];
};

/// One connection each way with its ring of buffers, like a channel of NCCL.
struct LoadChannel {
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
  std::byte *out = nullptr, *in = nullptr;
  MemoryRegion *out_region = nullptr, *in_region = nullptr;
  Request* sends[kMaxInFlight] = {};
  Request* receives[kMaxInFlight] = {};
  std::size_t posted = 0, received = 0, started = 0, sent = 0;
};

std::byte* buffer(std::size_t bytes, int value) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(at, bytes, MADV_NOHUGEPAGE);  // because pinned buffers are pinned page by page
  std::memset(at, value, bytes);
  return static_cast<std::byte*>(at);
}

std::vector<LoadChannel> connect(LoadMemory& shared, int rank, Transport& transport, const Load& load) {
  std::vector<std::unique_ptr<ListenComm>> listeners;
  for (std::size_t c = 0; c < load.connections; ++c) {
    listeners.push_back(transport.listen(0));
    shared.handles[rank][c] = listeners.back()->handle();
  }
  shared.ready[rank] = 1;
  while (shared.ready[1 - rank] == 0) yield_core();
  std::vector<LoadChannel> channels(load.connections);
  const std::size_t ring = load.in_flight * kLargestPiece;
  for (std::size_t c = 0; c < load.connections; ++c) {
    LoadChannel& channel = channels[c];
    auto connecting = transport.connect(0, shared.handles[1 - rank][c]);
    while (!channel.send || !channel.recv) {
      if (!channel.send) channel.send = connecting->poll();
      if (!channel.recv) channel.recv = listeners[c]->accept();
      yield_core();
    }
    channel.out = buffer(ring, rank + 1);
    channel.in = buffer(ring, 0);
    channel.out_region = channel.send->register_memory(channel.out, ring, MemoryKind::kHost);
    channel.in_region = channel.recv->register_memory(channel.in, ring, MemoryKind::kHost);
  }
  return channels;
}

void meet(LoadMemory& shared, int round) {
  ++shared.arrived;
  while (shared.arrived < 2 * round) yield_core();
}

/// One round of the progress thread over one channel. @returns true when all its messages are through
bool progress(LoadChannel& channel, std::size_t piece, std::size_t pieces, std::size_t in_flight) {
  while (channel.posted < pieces && channel.posted - channel.received < in_flight) {
    const std::size_t slot = channel.posted % in_flight;
    const ReceiveBuffer into{channel.in + slot * kLargestPiece, piece, 0, channel.in_region};
    channel.receives[slot] = channel.recv->irecv({&into, 1});
    if (channel.receives[slot] == nullptr) break;
    ++channel.posted;
  }
  while (channel.started < pieces && channel.started - channel.sent < in_flight) {
    const std::size_t slot = channel.started % in_flight;
    channel.sends[slot] =
        channel.send->isend(channel.out + slot * kLargestPiece, piece, 0, channel.out_region);
    if (channel.sends[slot] == nullptr) break;
    ++channel.started;
  }
  while (channel.received < channel.posted &&
         channel.recv->test(channel.receives[channel.received % in_flight], nullptr))
    ++channel.received;
  while (channel.sent < channel.started && channel.send->test(channel.sends[channel.sent % in_flight]))
    ++channel.sent;
  return channel.received == pieces && channel.sent == pieces;
}

double gbps(std::vector<LoadChannel>& channels, const Load& load, std::size_t piece) {
  const std::size_t pieces = std::max<std::size_t>(load.bytes / piece / load.connections, 8);
  for (LoadChannel& channel : channels)
    channel.posted = channel.received = channel.started = channel.sent = 0;
  const auto begin = now_ns();
  Spinner spinner;
  for (bool all = false; !all;) {
    all = true;
    for (LoadChannel& channel : channels) all = progress(channel, piece, pieces, load.in_flight) && all;
    spinner.step();
  }
  return static_cast<double>(pieces * piece * channels.size()) / static_cast<double>(now_ns() - begin);
}

int run(LoadMemory& shared, int rank, const TransportEntry& entry, TransportOptions options,
        const Load& load) try {
  options.rank = rank;
  auto transport = entry.create(options);
  auto channels = connect(shared, rank, *transport, load);
  const std::string link = transport->devices().front().detail.link.value_or("");
  int round = 0;
  for (const std::size_t piece : {32UL << 10, 64UL << 10, 128UL << 10, 256UL << 10, 512UL << 10, 1UL << 20}) {
    double best = 0;
    for (int i = 0; i < 3; ++i) {
      meet(shared, ++round);
      best = std::max(best, gbps(channels, load, piece));
    }
    if (rank == 0) std::printf("%7.2f", best);
  }
  for (const LoadChannel& channel : channels)
    if (channel.in[0] != static_cast<std::byte>(2 - rank)) return std::fprintf(stderr, "wrong data\n"), 1;
  if (rank == 0) std::printf("   %s\n", link.c_str());
  meet(shared, ++round);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "sisci";
  const TransportEntry* entry = find_transport(name);
  if (entry == nullptr) return std::fprintf(stderr, "no transport %s\n", name.c_str()), 1;
  TransportOptions options;
  char token[33];
  std::snprintf(token, sizeof token, "%032lx", static_cast<unsigned long>(now_ns()));
  options.token = token;
  options.ranks = 2;
  if (name.rfind("plugin:", 0) == 0) options.library = name.substr(7);
  if (entry->name == "sisci") options.library = "softntb";
  if (entry->name == "socket") options.interface_name = "lo";
  if (argc > 2 && std::string(argv[2]) == "user") options.fault = "no-iommu";
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? static_cast<std::size_t>(std::atoi(argv[at])) : otherwise;
  };
  Load load;
  load.connections = std::clamp<std::size_t>(number(3, 4), 1, kMaxConnections);
  load.in_flight = std::clamp<std::size_t>(number(4, 4), 1, kMaxInFlight);
  load.bytes = number(5, 512) << 20;
  void* memory = mmap(nullptr, sizeof(LoadMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) LoadMemory{};
  std::fflush(nullptr);
  const pid_t child = fork();
  const int result = run(*shared, child == 0 ? 1 : 0, *entry, options, load);
  std::fflush(nullptr);
  if (child == 0) _exit(result);
  int status = 0;
  waitpid(child, &status, 0);
  return result;
}
