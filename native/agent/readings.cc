#include "agent/readings.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "core/clock.h"
#include "core/error.h"
#include "metrics/inventory.h"

namespace collbench::agent {
namespace {

constexpr std::int64_t kSendEveryNs = 1'000'000'000;
constexpr std::size_t kMaxRowsPerLine = 64;

std::int64_t resident_bytes_of_this_process() {
  const double bytes = metrics::resident_bytes(metrics::read_small_file("/proc/self/statm"),
                                               static_cast<double>(sysconf(_SC_PAGESIZE)));
  return bytes > 0 ? static_cast<std::int64_t>(bytes) : 0;
}

}  // namespace

Readings::Readings(SendLine send) : send_(std::move(send)) {}

void Readings::start(const SampleRequest& request) {
  if (running()) throw Error(ErrorCode::kProtocol, "sample came while sampling: unsample first");
  filling_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (filling_.get() < 0) throw system_error(ErrorCode::kInternal, "making an eventfd", errno);
  metrics::SamplerOptions options;
  slots_ = std::make_shared<metrics::RankSlots>(request.ranks, options.roots.proc);
  options.names = request.sources.value_or(std::vector<std::string>{});
  options.interval_ns = request.interval_ns;
  options.ranks = slots_;
  sampler_ = std::make_unique<metrics::Sampler>(options);
  std::vector<metrics::SourceFailure> failed = sampler_->absent();
  while (auto failure = sampler_->take_failure()) failed.push_back(std::move(*failure));
  send_(to_line(SamplingEvent{request.interval_ns, sampler_->channels(), failed}));
  const int filling = filling_.get();
  sending_cpu_ns_ = 0;
  next_send_ns_ = now_ns() + kSendEveryNs;
  thread_ = std::make_unique<metrics::SamplerThread>(
      *sampler_, metrics::SamplerThread::Options{request.interval_ns, [filling] {
                                                   const std::uint64_t one = 1;
                                                   [[maybe_unused]] const auto n =
                                                       ::write(filling, &one, sizeof one);
                                                 }});
  followed_.clear();
  behind_ = false;
}

void Readings::stop() {
  if (!running()) throw Error(ErrorCode::kProtocol, "unsample came without sample");
  thread_->stop();
  send_rows(true);
  send_failures();
  const auto& summary = thread_->summary();
  SampledEvent cost;
  cost.ticks = static_cast<std::int64_t>(summary.ticks);
  cost.missed_ticks = static_cast<std::int64_t>(summary.missed_ticks);
  cost.cpu_ns = summary.cpu_ns + sending_cpu_ns_;
  cost.resident_bytes = resident_bytes_of_this_process();
  cost.jitter_ns.median = static_cast<double>(summary.jitter_ns.quantile(0.5));
  cost.jitter_ns.p99 = static_cast<double>(summary.jitter_ns.quantile(0.99));
  cost.jitter_ns.max = static_cast<double>(summary.jitter_ns.max());
  send_(to_line(cost));
  thread_.reset();
  sampler_.reset();
  slots_.reset();
  filling_.reset();
}

void Readings::follow(const std::vector<FollowedRank>& ranks) {
  if (!running() || ranks == followed_) return;
  const auto among = [](const std::vector<FollowedRank>& list, const FollowedRank& one) {
    return std::any_of(list.begin(), list.end(),
                       [&](const FollowedRank& other) { return other.pid == one.pid; });
  };
  for (const FollowedRank& one : followed_)
    if (!among(ranks, one)) slots_->remove(one.pid);
  std::vector<int> cores;
  for (const FollowedRank& one : ranks) {
    if (!among(followed_, one)) slots_->add(one.rank, one.pid);
    if (one.cpu) cores.push_back(*one.cpu);
  }
  thread_->keep_off(cores);
  followed_ = ranks;
}

std::int64_t Readings::due_ns(bool measuring) const noexcept {
  return running() && !measuring ? next_send_ns_ : INT64_MAX;
}

void Readings::on_turn(bool measuring, bool congested) {
  if (!running()) return;
  const auto& rows = thread_->rows();
  const bool filling = 4 * rows.waiting() >= 3 * rows.capacity();
  if (filling) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = ::read(filling_.get(), &count, sizeof count);
  }
  const bool due = !measuring && (behind_ || now_ns() >= next_send_ns_);
  if (!filling && !due) return;
  next_send_ns_ = now_ns() + kSendEveryNs;
  behind_ = congested;  // The controller reading again is a separate event.
  if (congested) return;
  send_rows(false);
  send_failures();
}

void Readings::send_rows(bool all) {
  const std::int64_t before = thread_cpu_ns();
  bool taken = true;
  for (std::size_t waiting; (all || taken) && (waiting = thread_->rows().waiting()) > 0;) {
    const std::size_t rows = std::min(waiting, kMaxRowsPerLine);
    taken = send_(samples_line(thread_->rows(), rows));
    thread_->release(rows);
  }
  behind_ = !taken;
  sending_cpu_ns_ += thread_cpu_ns() - before;
}

void Readings::send_failures() {
  while (const auto failure = sampler_->take_failure())
    send_(to_line(SourceFailedEvent{failure->source, failure->reason}));
}

}  // namespace collbench::agent
