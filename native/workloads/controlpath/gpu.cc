#include "workloads/controlpath/gpu.h"

#include <algorithm>

#include "core/spin.h"
#include "workloads/controlpath/put_queues.h"

namespace collbench::controlpath {
namespace {

constexpr std::uint32_t kWarp = 32;

std::uint32_t workers_of(Scope scope) noexcept {
  return scope == Scope::kThread ? 1 : scope == Scope::kWarp ? kWarp : kLargestBlock;
}

}  // namespace

GpuInitiator::GpuInitiator(Engine& engine, PutQueues& lanes, const GpuShape& shape, std::byte* counter)
    : engine_(engine),
      device_(*engine.device_port()),
      lanes_(lanes),
      shape_(shape),
      proxy_job_([this] { serve_proxy(); }),
      box_(engine),
      clock_(engine, *box_, box_.on_device()) {
  const PutLoad& load = lanes_.load();
  args_.workers = workers_of(shape.scope);
  // If fewer threads work than count, they take turns at counting.
  if (shape.path == Path::kTriggered && shape.granularity == Granularity::kThread)
    args_.workers = std::max(args_.workers, kCountingThreads);
  args_.granularity = static_cast<u32>(shape.granularity);
  args_.lanes = load.queues;
  args_.puts = load.puts;
  args_.batch = load.batch;
  args_.bytes = load.bytes;
  args_.source = lanes_.source_span();
  args_.target = lanes_.target_span();
  args_.counter = reinterpret_cast<u64*>(counter);
  args_.mailbox = box_.on_device();
  if (shape_.path == Path::kProxy) proxy_.emplace(spins_for(4));
  clock_.compare();
}

GpuInitiator::~GpuInitiator() { box_.stop(); }

void GpuInitiator::operate(std::uint64_t number) {
  const std::int64_t begin = now_ns();
  step_times_ = StepTimes();
  args_.number = number;
  const PutCounters before = lanes_.counters();
  since_ = now_ns();
  switch (shape_.path) {
    case Path::kHost:
      go_host_path();
      break;
    case Path::kStream:
      go_stream_path();
      break;
    case Path::kProxy:
      go_proxy_path();
      break;
    default:
      go_device_path();
  }
  const PutCounters after = lanes_.counters();
  step_times_.counted = {after.entries - before.entries, after.doorbells - before.doorbells,
                         after.completions - before.completions};
  step_times_.clock_ns = clock_.uncertainty_ns();
  step_times_.total_ns = now_ns() - begin;
}

/// Launches the first kernel of an operation; its times go to the first report in the mailbox.
/// @param job work of the kernel after it has written the data of the puts
void GpuInitiator::start(DeviceJob job) {
  ++step_times_.launches;
  args_.job = job;
  args_.report = &box_.on_device()->first;
  lanes_.describe(args_.lane);
  engine_.launch(put_kernel(), &args_, args_.workers);
}

/// Launches the second kernel of an operation, which stands for the work that needs the completed puts. It
/// does nothing; its times go to the second report in the mailbox.
void GpuInitiator::start_next() {
  ++step_times_.launches;
  PutArgs nothing = args_;
  nothing.job = kJobCompute;
  nothing.lanes = 0;
  nothing.workers = 1;
  nothing.report = &box_.on_device()->second;
  engine_.launch(put_kernel(), &nothing, 1);
}

/// Waits until all work queued on the GPU is complete, and counts one wake-up of the host.
void GpuInitiator::await() {
  engine_.synchronize();
  ++step_times_.wakeups;
}

void GpuInitiator::post() {
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.write(group);
  add_time(OperationStep::kPost);
}

/// Does all puts of an operation on a host thread: writes entries, rings doorbells and waits for completions.
/// @param since time at which the current step began, ns; updated at the end of each step
void GpuInitiator::put_by_host(std::int64_t& since) {
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) {
    lanes_.write(group);
    step_times_.add_time(OperationStep::kPost, since);
    lanes_.ring(group);
    step_times_.add_time(OperationStep::kRing, since);
  }
  lanes_.await_completion();
  step_times_.add_time(OperationStep::kCompletion, since);
}

void GpuInitiator::go_host_path() {
  start(kJobCompute);
  await();
  const DeviceReport& first = box_->first;
  bound(first);
  step_times_[OperationStep::kLaunch] = at(first.begin) - since_;
  step_times_[OperationStep::kCompute] = static_cast<std::int64_t>(first.end - first.begin);
  since_ = at(first.end);
  add_time(OperationStep::kHandover);
  put_by_host(since_);
  start_next();
  await();
  const DeviceReport& second = box_->second;
  bound(second);
  step_times_[OperationStep::kResume] = at(second.begin) - since_;
  since_ = at(second.begin);
  add_time(OperationStep::kFinish);
}

void GpuInitiator::go_stream_path() {
  post();
  start(kJobCompute);
  ring_all_in_stream();
  await_all_in_stream();
  start_next();
  await();
  const DeviceReport &first = box_->first, &second = box_->second;
  clock_.bound(since_, first.begin, second.end, now_ns());
  step_times_[OperationStep::kLaunch] = at(first.begin) - since_;
  step_times_[OperationStep::kCompute] = static_cast<std::int64_t>(first.end - first.begin);
  step_times_[OperationStep::kStream] = static_cast<std::int64_t>(second.begin - first.end);
  since_ = at(second.begin);
  add_time(OperationStep::kFinish);
  const PutLoad& load = lanes_.load();
  lanes_.adopt({0, std::uint64_t{load.queues} * load.groups(), 0});
  lanes_.await_completion();  // The puts are complete already.
}

void GpuInitiator::ring_all_in_stream() {
  const PutLoad& load = lanes_.load();
  for (std::uint32_t group = 0; group < load.groups(); ++group)
    for (std::uint32_t lane = 0; lane < load.queues; ++lane) {
      const ibgda::QueueCursor& one = args_.lane[lane];
      ring_in_stream(device_, one.view, one.next - load.puts + (group + 1) * load.batch);
    }
}

void GpuInitiator::await_all_in_stream() {
  const PutLoad& load = lanes_.load();
  for (std::uint32_t lane = 0; lane < load.queues; ++lane)
    await_in_stream(device_, args_.lane[lane].view, args_.lane[lane].taken + load.groups() - 1);
}

void GpuInitiator::go_proxy_path() {
  proxy_->start(proxy_job_);
  start(kJobProxy);
  await();
  const std::int64_t ended = now_ns();
  while (!proxy_->is_done()) cpu_relax();  // The proxy has only to return.
  ++step_times_.wakeups;
  proxy_->rethrow();
  const DeviceReport& first = box_->first;
  bound(first);
  step_times_[OperationStep::kLaunch] = at(first.begin) - since_;
  step_times_[OperationStep::kCompute] = static_cast<std::int64_t>(first.computed - first.begin);
  step_times_[OperationStep::kHandover] = woken_ns_ - at(first.computed);
  step_times_[OperationStep::kResume] = at(first.resumed) - answered_ns_;
  step_times_[OperationStep::kFinish] = ended - at(first.resumed);
}

/// Runs on the proxy thread: waits until a kernel requests its puts, does them, and answers the kernel.
void GpuInitiator::serve_proxy() {
  if (!box_.await_request(spins_for(4))) return;
  woken_ns_ = answered_ns_ = now_ns();
  try {
    put_by_host(answered_ns_);
  } catch (...) {
    box_.answer();  // Otherwise the kernel would wait for ever.
    throw;
  }
  box_.answer();
}

void GpuInitiator::go_device_path() {
  if (shape_.path == Path::kTriggered) post();
  start(shape_.path == Path::kTriggered ? kJobTriggered : kJobInitiate);
  await();
  const DeviceReport& first = box_->first;
  bound(first);
  step_times_[OperationStep::kLaunch] = at(first.begin) - since_;
  step_times_[OperationStep::kCompute] = static_cast<std::int64_t>(first.computed - first.begin);
  step_times_[OperationStep::kPost] += static_cast<std::int64_t>(first.post_ns);
  step_times_[OperationStep::kTrigger] = static_cast<std::int64_t>(first.trigger_ns);
  step_times_[OperationStep::kRing] = static_cast<std::int64_t>(first.ring_ns);
  step_times_[OperationStep::kCompletion] = static_cast<std::int64_t>(first.completion_ns);
  since_ = at(first.end);
  add_time(OperationStep::kFinish);
  adopt(first);
}

void GpuInitiator::adopt(const DeviceReport& report) {
  require_good(report.syndrome);
  lanes_.adopt({report.entries, report.doorbells, report.completions});
}

void GpuInitiator::take(OperationColumns& columns) const {
  step_times_.take(columns, shape_.path, DeviceKind::kGpu);
}

}  // namespace collbench::controlpath
