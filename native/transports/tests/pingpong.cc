// Half round trip and one-way bandwidth of a transport between two processes of this machine. A tool, not a
// test:
// pingpong [sisci|socket|plugin:PATH] [library or interface] [registered 0|1]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/registry.h"

using namespace collbench;

namespace {

struct PingpongMemory {
  std::atomic<int> ready[2];
  ConnectHandle handles[2];
};

struct Side {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
  std::byte* buffers[2];
  MemoryRegion* regions[2] = {};
};

constexpr std::size_t kBufferBytes = 64 << 20;

Side connect(PingpongMemory& shared, int rank, const TransportEntry& entry, TransportOptions options,
             bool registered) {
  Side side;
  options.rank = rank;
  side.transport = entry.create(options);
  auto listener = side.transport->listen(0);
  shared.handles[rank] = listener->handle();
  shared.ready[rank] = 1;
  while (shared.ready[1 - rank] == 0) yield_core();
  auto connecting = side.transport->connect(0, shared.handles[1 - rank]);
  while (!side.send || !side.recv) {
    if (!side.send) side.send = connecting->poll();
    if (!side.recv) side.recv = listener->accept();
    yield_core();
  }
  for (auto& buffer : side.buffers) {
    buffer = static_cast<std::byte*>(std::aligned_alloc(2 << 20, kBufferBytes));
    std::memset(buffer, rank + 1, kBufferBytes);
  }
  if (registered) {
    side.regions[0] = side.send->register_memory(side.buffers[0], kBufferBytes, MemoryKind::kHost);
    side.regions[1] = side.recv->register_memory(side.buffers[1], kBufferBytes, MemoryKind::kHost);
  }
  return side;
}

Request* post(Side& side, std::size_t bytes, std::size_t offset = 0) {
  const ReceiveBuffer buffer{side.buffers[1] + offset, bytes, 0, side.regions[1]};
  return side.recv->irecv({&buffer, 1});
}

void receive(Side& side, Request* request) {
  Spinner spinner;
  while (!side.recv->test(request, nullptr)) spinner.step();
}

void send(Side& side, std::size_t bytes) {
  Spinner spinner;
  Request* request;
  while ((request = side.send->isend(side.buffers[0], bytes, 0, side.regions[0])) == nullptr) spinner.step();
  while (!side.send->test(request)) spinner.step();
}

double half_round_trip_ns(Side& side, int rank, std::size_t bytes, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    Request* awaited = post(side, bytes);
    const auto begin = now_ns();
    if (rank == 0) send(side, bytes);
    receive(side, awaited);
    if (rank == 1) send(side, bytes);
    samples.push_back(static_cast<double>(now_ns() - begin) / 2);
  }
  std::nth_element(samples.begin(), samples.begin() + rounds / 2, samples.end());
  return samples[static_cast<std::size_t>(rounds) / 2];
}

/// One-way bandwidth: rank 0 sends, or both ranks if `both`; messages of `bytes`, eight in flight.
double bandwidth(Side& side, int rank, std::size_t bytes, std::size_t total, bool both) {
  constexpr std::size_t kInFlight = 8;
  const std::size_t messages = std::max<std::size_t>(total / bytes, 16);
  const std::size_t span = kInFlight * bytes;
  std::deque<Request*> sends, receives;
  std::size_t to_send = both || rank == 0 ? messages : 0, to_receive = both || rank == 1 ? messages : 0;
  std::size_t sent = 0, received = 0;
  half_round_trip_ns(side, rank, 8, 3);
  const auto begin = now_ns();
  Spinner spinner;
  while (sent < to_send || received < to_receive || !sends.empty() || !receives.empty()) {
    while (received < to_receive && receives.size() < kInFlight) {
      Request* request = post(side, bytes, received * bytes % std::min(span, kBufferBytes));
      if (request == nullptr) break;
      receives.push_back(request);
      ++received;
    }
    while (sent < to_send && sends.size() < kInFlight) {
      Request* request = side.send->isend(side.buffers[0] + sent * bytes % std::min(span, kBufferBytes),
                                          bytes, 0, side.regions[0]);
      if (request == nullptr) break;
      sends.push_back(request);
      ++sent;
    }
    while (!receives.empty() && side.recv->test(receives.front(), nullptr)) receives.pop_front();
    while (!sends.empty() && side.send->test(sends.front())) sends.pop_front();
    spinner.step();
  }
  const double elapsed = static_cast<double>(now_ns() - begin);
  half_round_trip_ns(side, rank, 8, 3);
  return static_cast<double>(messages * bytes) / elapsed;
}

int run(PingpongMemory& shared, int rank, const TransportEntry& entry, const TransportOptions& options,
        bool registered) try {
  Side side = connect(shared, rank, entry, options, registered);
  side.send->carry_flags(std::getenv("PINGPONG_FLAGS") != nullptr);
  if (rank == 0) std::printf("%s\n", side.transport->devices().front().name.c_str());
  for (const std::size_t bytes :
       {8UL, 16UL, 32UL, 64UL, 128UL, 256UL, 512UL, 1024UL, 2048UL, 4096UL, 8192UL, 16384UL, 65536UL}) {
    half_round_trip_ns(side, rank, bytes, 1000);
    const double ns = half_round_trip_ns(side, rank, bytes, 20000);
    if (rank == 0) std::printf("%8zu B  half round trip %8.0f ns\n", bytes, ns);
  }
  for (const std::size_t bytes : {8192UL, 65536UL, 262144UL, 1048576UL, 4194304UL}) {
    double one = 0, both = 0;
    for (int i = 0; i < 3; ++i) {
      one = std::max(one, bandwidth(side, rank, bytes, 256 << 20, false));
      both = std::max(both, bandwidth(side, rank, bytes, 256 << 20, true));
    }
    if (rank == 0) std::printf("%8zu B  one way %6.2f GB/s   both ways %6.2f GB/s each\n", bytes, one, both);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string name = argc > 1 ? argv[1] : "sisci";
  const TransportEntry* entry = find_transport(name);
  if (entry == nullptr) return std::fprintf(stderr, "no transport %s\n", name.c_str()), 1;
  TransportOptions options;
  char token[33];
  std::snprintf(token, sizeof token, "%032lx", static_cast<unsigned long>(now_ns()));
  options.token = token;
  options.ranks = 2;
  if (name.rfind("plugin:", 0) == 0) options.library = name.substr(7);
  if (entry->name == "sisci") options.library = argc > 2 ? argv[2] : "softntb";
  if (entry->name == "socket") options.interface_name = argc > 2 ? argv[2] : "lo";
  if (const char* fault = std::getenv("PINGPONG_FAULT")) options.fault = fault;
  if (const char* link = std::getenv("PINGPONG_LINK")) options.link = link;
  const bool registered = argc <= 3 || std::atoi(argv[3]) != 0;
  void* memory =
      mmap(nullptr, sizeof(PingpongMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) PingpongMemory{};
  const pid_t child = fork();
  const int result = run(*shared, child == 0 ? 1 : 0, *entry, options, registered);
  if (child == 0) _exit(result);
  int status = 0;
  waitpid(child, &status, 0);
  return result;
}
