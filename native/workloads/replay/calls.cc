#include "workloads/replay/calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "workloads/collective/operation.h"

namespace collbench::replay {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::size_t aligned(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

}  // namespace

Verification merge_verifications(Verification one, Verification other) {
  Verification& told = one.wrong > 0 ? one : other;
  const std::uint64_t compared = one.compared + other.compared, wrong = one.wrong + other.wrong;
  told.compared = compared;
  told.wrong = wrong;
  return std::move(told);
}

StepCalls::StepCalls(Engine& engine, const std::vector<NumberedCall>& calls, int rank, int ranks,
                     std::uint64_t seed)
    : engine_(engine), rank_(rank) {
  // All offsets are computed first, because buffers may move while they grow.
  struct Offsets {
    std::size_t send, recv;
  };
  std::vector<Offsets> offsets;
  std::size_t sends = 0, recvs = 0;
  for (const auto& [operation, number] : calls) {
    numbers_.push_back(number);
    patterns_.push_back({operation, ranks, seed});
    const BufferBytes bytes = buffer_bytes(operation, rank, ranks, engine.equal_buffers());
    offsets.push_back({sends, recvs});
    if (!operation.in_place || result_in_send(operation.kind))
      sends += aligned(operation.in_place ? bytes.longest() : bytes.send);
    if (!operation.in_place || !result_in_send(operation.kind))
      recvs += aligned(operation.in_place ? bytes.longest() : bytes.recv);
  }
  auto* const send = static_cast<std::byte*>(engine.buffer(0, std::max(sends, kPageBytes)));
  auto* const recv = static_cast<std::byte*>(engine.buffer(1, std::max(recvs, kPageBytes)));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Operation& operation = calls[i].operation;
    const std::size_t part = in_place_offset(operation, rank) * size_of(operation.dtype);
    CollectiveCall call{operation, send + offsets[i].send, recv + offsets[i].recv};
    if (operation.in_place && result_in_send(operation.kind))
      call.recv = send + offsets[i].send + part;
    else if (operation.in_place)
      call.send = recv + offsets[i].recv + part;
    calls_.push_back(call);
  }
}

void StepCalls::prepare(std::uint64_t iteration) {
  for (std::size_t i = 0; i < calls_.size(); ++i) engine_.prepare(patterns_[i], rank_, iteration, calls_[i]);
}

Verification StepCalls::verify(std::uint64_t iteration) {
  Verification all;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Verification one = engine_.verify(patterns_[i], rank_, iteration, calls_[i]);
    if (one.wrong > 0)
      one.note = "call " + std::to_string(numbers_[i]) + " of the step, " +
                 std::string(name_of(calls_[i].operation.kind)) + (one.note.empty() ? "" : "; " + one.note);
    all = merge_verifications(std::move(all), std::move(one));
  }
  return all;
}

bool StepCalls::repeatable() const {
  return std::none_of(calls_.begin(), calls_.end(), [](const CollectiveCall& call) {
    return call.operation.in_place && reduces(call.operation.kind);
  });
}

}  // namespace collbench::replay
