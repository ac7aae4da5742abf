#include "workloads/stencil/gpu.h"

#include <algorithm>

#include "core/spin.h"
#include "workloads/controlpath/put_queues.h"

namespace collbench::stencil {
namespace {

/// Number of exchanges that the host may write before the GPU rings for them. Each takes two entries of a
/// queue.
constexpr std::uint32_t kMaxPosted = PutQueue::kMaxPuts / 4;
constexpr int kThreads = 2;  // Threads of a rank that wait: host and proxy.

/// Entries, doorbells and completions that one exchange adds to a queue. kRungAndTaken: the host wrote the
/// entries itself, the device rang and read the completion. kAllOfIt: the kernel did everything.
constexpr PutCounters kRungAndTaken{0, 1, 1};
constexpr PutCounters kAllOfIt{2, 1, 1};

}  // namespace

GpuExchange::GpuExchange(Engine& engine, Path path, const HaloMemory& memory, const Neighbours& neighbours,
                         HaloPuts* puts)
    : engine_(engine),
      path_(path),
      memory_(memory),
      puts_(puts),
      spins_(engine.spins(kThreads)),
      proxy_job_([this] { serve_proxy(); }),
      box_(engine) {
  for (int side = 0; side < kSides; ++side) {
    const std::size_t bytes = neighbours.bytes[static_cast<std::size_t>(side)];
    if (neighbours.ranks[static_cast<std::size_t>(side)] < 0) continue;
    sides_[args_.links] = side;
    args_.link[args_.links++].bytes = bytes;
    args_.blocks = std::max(args_.blocks, blocks_of(bytes));
    sent_bytes_ += bytes + sizeof args_.number;
  }
  args_.number_offset = static_cast<u32>(memory.number_offset());
  args_.mailbox = box_.on_device();
  if (puts_ == nullptr) reach(neighbours);
  if (path_ == Path::kProxy) proxy_.emplace(spins_);
}

GpuExchange::~GpuExchange() { box_.stop(); }

/// Gets the addresses at which this GPU can store into the neighbours' memory for halo points (lanes).
void GpuExchange::reach(const Neighbours& neighbours) {
  const std::vector<std::byte*> halos = engine_.reach(memory_.halo(0, 0));
  for (u32 n = 0; n < args_.links; ++n) {
    const int rank = neighbours.ranks[static_cast<std::size_t>(sides_[n])];
    there_[n] = reinterpret_cast<u64>(halos[static_cast<std::size_t>(rank)]);
  }
  const std::array<u64, kMaxLinks> none{};
  engine_.upload(memory_.words(), none.data(), sizeof none);
  args_.stored = reinterpret_cast<u64*>(memory_.words());
  clear_numbers(engine_, memory_, neighbours);
}

/// Sets the kernel's arguments for the next exchange: the lanes (memory for the points of one side) of
/// `turn`, and the current state of the queues.
void GpuExchange::point_at_lanes(int turn) {
  if (puts_ != nullptr) puts_->describe(turn, args_.link);
  for (u32 n = 0; n < args_.links; ++n) {
    ExchangeLink& link = args_.link[n];
    const int side = sides_[n];
    link.edge = reinterpret_cast<u64>(memory_.edge(turn, side));
    link.number = reinterpret_cast<u64>(memory_.halo(turn, side)) + memory_.number_offset();
    if (puts_ == nullptr) link.lane = there_[n] + memory_.lane_offset(turn, opposite(side));
  }
}

void GpuExchange::launch(ExchangeJob job) {
  args_.job = job;
  engine_.launch(exchange_kernel(), &args_, exchange_threads(args_));
}

void GpuExchange::operate(int turn) {
  ++args_.number;
  switch (path_) {
    case Path::kHost:
      go_host_path(turn);
      break;
    case Path::kStream:
      post_for_device(turn);
      for (u32 n = 0; n < args_.links; ++n)
        controlpath::ring_in_stream(*engine_.device_port(), args_.link[n].queue.view,
                                    args_.link[n].queue.next);
      for (u32 n = 0; n < args_.links; ++n)
        controlpath::await_in_stream(*engine_.device_port(), args_.link[n].queue.view,
                                     args_.link[n].queue.taken);
      launch(kJobComplete);
      break;
    case Path::kProxy:
      ask_proxy(turn);
      break;
    case Path::kTriggered:
      post_for_device(turn);
      launch(kJobRing);
      break;
    default:
      point_at_lanes(turn);
      launch(puts_ != nullptr ? kJobPut : kJobStore);
      if (puts_ != nullptr) puts_->adopt(kAllOfIt);
  }
  if (puts_ != nullptr)
    puts_->count_received();
  else
    engine_.count_stores(sent_bytes_, sent_bytes_, args_.links);
}

/// Exchanges halos on the path host. With queues for puts: waits until the GPU is idle, does the puts on the
/// host, and queues a kernel that waits for the neighbours' points. Otherwise a kernel stores the points into
/// the neighbours' memory, and the host waits for it.
void GpuExchange::go_host_path(int turn) {
  wait_for_all();
  if (puts_ != nullptr) puts_->put(turn);
  point_at_lanes(turn);
  launch(puts_ != nullptr ? kJobArrive : kJobStore);
  if (puts_ == nullptr) wait_for_all();
}

/// Writes the queue entries of one exchange on the host; the device rings for them later. From now on only
/// the device uses the queues.
void GpuExchange::post_for_device(int turn) {
  if (posted_ == kMaxPosted) wait_for_all();
  ++posted_;
  puts_->write(turn);
  point_at_lanes(turn);
  puts_->adopt(kRungAndTaken);
}

void GpuExchange::ask_proxy(int turn) {
  await_proxy();
  proxy_turn_ = turn;
  point_at_lanes(turn);  // Called before the proxy uses the queues.
  proxy_->start(proxy_job_);
  launch(kJobAsk);
}

/// Runs on the proxy thread: waits until a kernel requests the exchange, does the puts, answers the kernel.
void GpuExchange::serve_proxy() {
  if (!box_.await_request(spins_)) return;
  try {
    puts_->put(proxy_turn_);
  } catch (...) {
    box_.stop();  // Otherwise the kernel would wait for ever.
    throw;
  }
  box_.answer();
}

void GpuExchange::await_proxy() {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !proxy_->is_done(); spinner.step()) {
    puts_->progress();
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  }
  proxy_->rethrow();
}

void GpuExchange::wait_for_all() {
  engine_.synchronize();
  posted_ = 0;
  controlpath::require_good(ibgda::load_word(&box_->first.syndrome));
}

void GpuExchange::finish() {
  wait_for_all();
  if (proxy_) await_proxy();
}

}  // namespace collbench::stencil
