#include "engines/cpu/schedule.h"

namespace collbench::cpu {

void Schedule::clear() noexcept {
  steps_.clear();
  receives_ = 0;
  scratch_elements_ = 0;
}

Step& Schedule::add(Step::Kind kind, std::size_t elements) {
  Step& step = steps_.emplace_back();
  step.kind = kind;
  step.elements = elements;
  return step;
}

void Schedule::send(int peer, Place from, std::size_t elements) {
  if (elements == 0) return;
  Step& step = add(Step::Kind::kSend, elements);
  step.peer = peer;
  step.from = from;
}

void Schedule::receive(int peer, Place to, std::size_t elements) {
  if (elements == 0) return;
  Step& step = add(Step::Kind::kReceive, elements);
  step.peer = peer;
  step.to = to;
  ++receives_;
}

void Schedule::await(std::size_t receives) {
  if (receives > 0) add(Step::Kind::kAwait, 0).receives = receives;
}

void Schedule::drain() { add(Step::Kind::kDrain, 0); }

void Schedule::combine(Place to, Place left, Place right, std::size_t elements) {
  if (elements == 0) return;
  Step& step = add(Step::Kind::kCombine, elements);
  step.to = to;
  step.from = left;
  step.with = right;
}

void Schedule::copy(Place to, Place from, std::size_t elements) {
  if (elements == 0) return;
  Step& step = add(Step::Kind::kCopy, elements);
  step.to = to;
  step.from = from;
}

void Schedule::divide(Place what, std::size_t elements) {
  if (elements == 0) return;
  add(Step::Kind::kDivide, elements).to = what;
}

Place Schedule::scratch(std::size_t elements) noexcept {
  const Place place{Space::kScratch, scratch_elements_};
  scratch_elements_ += elements;
  return place;
}

}  // namespace collbench::cpu
