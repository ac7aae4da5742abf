// Speed of the socket transport alone, between two processes of one machine. Run by hand, not by ctest:
// socket_speed [interface] [streams]
// Prints the half round trip of small messages, then one-way and two-way throughput by message size. The
// figures in ../README.md come from it.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/socket/transport.h"

using namespace collbench;

namespace {

struct Link {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<SendComm> out;
  std::unique_ptr<RecvComm> in;
};

/// Pins each side to a core, like the ranks of a run; with a single core both share it.
void pin_to(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

Link connect_pair(const TransportOptions& options, int read_fd, int write_fd) {
  Link link;
  link.transport = create_socket(options);
  auto listener = link.transport->listen(0);
  if (write(write_fd, listener->handle().data(), 128) != 128) std::abort();
  ConnectHandle theirs;
  if (read(read_fd, theirs.data(), 128) != 128) std::abort();
  auto connecting = link.transport->connect(0, theirs);
  Spinner spinner;
  while (!link.in || !link.out) {
    if (!link.in) link.in = listener->accept();
    if (!link.out) link.out = connecting->poll();
    spinner.step();
  }
  return link;
}

void send_all(Link& link, const void* data, std::size_t bytes) {
  Request* request = link.out->isend(data, bytes, 0, nullptr);
  while (!link.out->test(request)) cpu_relax();
}

void receive_all(Link& link, void* data, std::size_t bytes) {
  const ReceiveBuffer buffer{data, bytes, 0, nullptr};
  Request* request = link.in->irecv({&buffer, 1});
  while (!link.in->test(request, nullptr)) cpu_relax();
}

void exchange(Link& link, const void* from, void* to, std::size_t bytes) {
  const ReceiveBuffer buffer{to, bytes, 0, nullptr};
  Request* in = link.in->irecv({&buffer, 1});
  Request* out = link.out->isend(from, bytes, 0, nullptr);
  while (in != nullptr || out != nullptr) {
    if (out != nullptr && link.out->test(out)) out = nullptr;
    if (in != nullptr && link.in->test(in, nullptr)) in = nullptr;
  }
}

template <typename Step>
double median_ns(int samples, int batch, Step step) {
  std::vector<double> ns;
  for (int i = 0; i < samples; ++i) {
    const std::int64_t start = now_ns();
    for (int k = 0; k < batch; ++k) step();
    ns.push_back(static_cast<double>(now_ns() - start) / batch);
  }
  std::sort(ns.begin(), ns.end());
  return ns[ns.size() / 2];
}

void run(bool first, const TransportOptions& options, int read_fd, int write_fd) {
  pin_to(first ? 0 : 1);
  Link link = connect_pair(options, read_fd, write_fd);
  if (first) std::printf("%s\n", link.transport->devices()[0].name.c_str());
  std::vector<std::byte> from(std::size_t{64} << 20, std::byte{1}), to(from.size());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{512}, std::size_t{4096}}) {
    const double round_trip = median_ns(200, 100, [&] {
      if (first) send_all(link, from.data(), bytes);
      receive_all(link, to.data(), bytes);
      if (!first) send_all(link, from.data(), bytes);
    });
    const double both = median_ns(200, 100, [&] { exchange(link, from.data(), to.data(), bytes); });
    if (first)
      std::printf("%9zu B  half round trip %8.0f ns  exchange %8.0f ns\n", bytes, round_trip / 2, both);
  }
  for (std::size_t bytes = std::size_t{16} << 10; bytes <= from.size(); bytes *= 4) {
    const int samples = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 30) / bytes, 5, 500));
    const double one_way = median_ns(samples, 1, [&] {
      if (first)
        send_all(link, from.data(), bytes);
      else
        receive_all(link, to.data(), bytes);
    });
    const double both = median_ns(samples, 1, [&] { exchange(link, from.data(), to.data(), bytes); });
    if (first)
      std::printf("%9zu B  one way %6.2f GB/s  exchange %10.0f ns, %6.2f GB/s each way\n", bytes,
                  static_cast<double>(bytes) / one_way, both, static_cast<double>(bytes) / both);
  }
}

}  // namespace

int main(int argc, char** argv) {
  TransportOptions options;
  options.token = "0123456789abcdef0123456789abcdef";
  options.interface_name = argc > 1 ? argv[1] : "";
  options.streams = argc > 2 ? std::atoi(argv[2]) : 0;
  int to_child[2], to_parent[2];
  if (pipe(to_child) != 0 || pipe(to_parent) != 0) return 1;
  const pid_t child = fork();
  try {
    if (child == 0) {
      run(false, options, to_child[0], to_parent[1]);
      return 0;
    }
    run(true, options, to_parent[0], to_child[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
