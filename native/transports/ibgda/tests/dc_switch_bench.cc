// Cost of one DC initiator serving several peers: the time of a put of 8 bytes that completes before the next
// one starts. Varied are the number of peers and the puts to one peer before the next peer's turn. A tool,
// not a test:
// dc_switch_bench [link model] [puts]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/shared_object.h"
#include "emulated/cards.h"
#include "transports/ibgda/lane.h"
#include "transports/ibgda/library.h"
#include "transports/puts.h"
#include "transports/registry.h"

using namespace collbench;

namespace {

struct Peer {
  explicit Peer(const TransportOptions& options)
      : transport(find_transport("ibgda")->create(options)),
        port(*transport->put_port()),
        region(port.expose(&word, sizeof word)),
        queue(port.open_queue()) {}
  std::unique_ptr<Transport> transport;
  PutPort& port;
  std::uint64_t word = 0;
  std::unique_ptr<MemoryRegion> region;
  std::unique_ptr<PutQueue> queue;
};

unsigned long long connects_of(const PutQueue& queue, const TransportOptions& options) {
  std::string why;
  decltype(&softmlx5_counters) counters = nullptr;
  if (!bind(counters, open_shared(ibgda::open_library(options)->path, why), "softmlx5_counters")) return 0;
  softmlx5_counters_t counted{};
  counters(queue.lane().view.number, &counted);
  return counted.dc_connects;
}

void measure(const TransportOptions& options, std::size_t peers, std::size_t stay, std::size_t puts) {
  Peer from(options);
  std::vector<std::unique_ptr<Peer>> to;
  for (std::size_t n = 0; n < peers; ++n) to.push_back(std::make_unique<Peer>(options));
  std::vector<std::int64_t> times;
  for (std::size_t n = 0; n < puts; ++n) {
    Peer& peer = *to[n / stay % peers];
    const std::int64_t begin = now_ns();
    from.queue->connect(peer.queue->address());
    const std::uint32_t ticket =
        from.queue->write(peer.port.target_of(*peer.region, &peer.word), &from.word, *from.region, 8, true);
    from.queue->ring(ticket);
    while (!from.queue->has_completed(ticket)) from.queue->poll();
    times.push_back(now_ns() - begin);
  }
  double sum = 0;
  for (const std::int64_t one : times) sum += static_cast<double>(one);
  std::sort(times.begin(), times.end());
  std::printf("%5zu  %4zu  %6zu  %8llu  %8.2f  %9.2f\n", peers, stay, puts, connects_of(*from.queue, options),
              sum / static_cast<double>(puts) / 1e3, static_cast<double>(times[puts / 2]) / 1e3);
}

}  // namespace

int main(int count, char** words) try {
  TransportOptions options;
  options.token = "00112233445566778899aabbccddeeff";
  options.library = ibgda::kSoftmlx5Name;
  options.queue = "dc";
  options.link = count > 1 ? words[1] : "hdr-200";
  const std::size_t puts = count > 2 ? std::strtoul(words[2], nullptr, 10) : 4000;
  std::printf("softmlx5 (emulated), link %s\npeers  stay    puts  connects   mean us  median us\n",
              options.link.c_str());
  measure(options, 1, 1, puts);
  for (const std::size_t peers : {2, 4})
    for (const std::size_t stay : {1, 4, 16}) measure(options, peers, stay, puts);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
