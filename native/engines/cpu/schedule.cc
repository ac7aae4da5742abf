#include "engines/cpu/schedule.h"

namespace collbench::cpu {

void Schedule::clear() noexcept {
  steps_.clear();
  receives_ = 0;
  sends_ = 0;
  scratch_elements_ = 0;
}

ScheduleStep& Schedule::add(ScheduleStep::StepKind kind, std::size_t elements) {
  ScheduleStep& step = steps_.emplace_back();
  step.kind = kind;
  step.elements = elements;
  return step;
}

void Schedule::send(int peer, BufferPosition from, std::size_t elements) {
  if (elements == 0) return;
  ScheduleStep& step = add(ScheduleStep::StepKind::kSend, elements);
  step.peer = peer;
  step.from = from;
  ++sends_;
}

void Schedule::receive(int peer, BufferPosition to, std::size_t elements, std::size_t sends) {
  if (elements == 0) return;
  ScheduleStep& step = add(ScheduleStep::StepKind::kReceive, elements);
  step.peer = peer;
  step.to = to;
  step.completed = sends;
  ++receives_;
}

void Schedule::await(std::size_t receives) {
  if (receives > 0) add(ScheduleStep::StepKind::kAwait, 0).completed = receives;
}

void Schedule::drain(std::size_t sends) {
  if (sends > 0) add(ScheduleStep::StepKind::kDrain, 0).completed = sends;
}

void Schedule::combine(BufferPosition to, BufferPosition left, BufferPosition right, std::size_t elements) {
  if (elements == 0) return;
  ScheduleStep& step = add(ScheduleStep::StepKind::kCombine, elements);
  step.to = to;
  step.from = left;
  step.with = right;
}

void Schedule::copy(BufferPosition to, BufferPosition from, std::size_t elements) {
  if (elements == 0) return;
  ScheduleStep& step = add(ScheduleStep::StepKind::kCopy, elements);
  step.to = to;
  step.from = from;
}

void Schedule::copy_when_idle(BufferPosition to, BufferPosition from, std::size_t elements) {
  copy(to, from, elements);
  if (elements > 0) steps_.back().kind = ScheduleStep::StepKind::kCopyWhenIdle;
}

void Schedule::divide(BufferPosition what, std::size_t elements) {
  if (elements == 0) return;
  add(ScheduleStep::StepKind::kDivide, elements).to = what;
}

BufferPosition Schedule::scratch(std::size_t elements) noexcept {
  const BufferPosition place{BufferSpace::kScratch, scratch_elements_};
  scratch_elements_ += elements;
  return place;
}

}  // namespace collbench::cpu
