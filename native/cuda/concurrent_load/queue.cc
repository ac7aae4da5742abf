#include "cuda/concurrent_load/queue.h"

namespace collbench::cuda {
namespace {

constexpr unsigned kSleepsAndIsNotTimed = 1 | 2;  // CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING

}  // namespace

TwoDeep::TwoDeep(Device& device) : device_(device) {
  const DriverApi& driver = device_.driver();
  for (void*& event : events_)
    driver.check(driver.event_create(&event, kSleepsAndIsNotTimed), "cuEventCreate");
}

TwoDeep::~TwoDeep() {
  for (void* event : events_)
    if (event != nullptr) device_.driver().event_destroy(event);
}

int TwoDeep::add(const std::function<void()>& queue) {
  const DriverApi& driver = device_.driver();
  queue();
  driver.check(driver.event_record(events_[next_], device_.stream()), "cuEventRecord");
  next_ = (next_ + 1) % events_.size();
  if (open_ + 1 < events_.size()) {
    ++open_;
    return 0;
  }
  wait(events_[next_]);
  return 1;
}

void TwoDeep::drain() {
  if (open_ > 0) device_.drain();
  open_ = 0;
}

void TwoDeep::wait(void* event) {
  const DriverApi& driver = device_.driver();
  if (driver.event_wait == nullptr) return device_.drain();
  driver.check(driver.event_wait(event), "cuEventSynchronize");
}

}  // namespace collbench::cuda
