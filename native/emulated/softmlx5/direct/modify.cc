#include <cstring>
#include <optional>

#include "emulated/softmlx5/direct/commands.h"
#include "emulated/softmlx5/verbs/device.h"

namespace collbench::softmlx5::direct {
namespace {

using namespace rdma::devx;
using rdma::mlx5dv_devx_obj;

struct StateChange {
  std::uint16_t opcode;
  std::optional<QueueState> from;  // absent: any state
  QueueState to;
};
constexpr StateChange kSteps[] = {
    {kRst2Init, QueueState::kReset, QueueState::kInit},
    {kInit2Init, QueueState::kInit, QueueState::kInit},
    {kInit2Rtr, QueueState::kInit, QueueState::kReadyToReceive},
    {kRtr2Rts, QueueState::kReadyToReceive, QueueState::kReadyToSend},
    {kRts2Rts, QueueState::kReadyToSend, QueueState::kReadyToSend},
    {kQp2Err, std::nullopt, QueueState::kError},
    {kQp2Rst, std::nullopt, QueueState::kReset},
};

constexpr Field kRlid = inside(qpc::kPrimaryPath, path::kRlid);
constexpr Field kPathPort = inside(qpc::kPrimaryPath, path::kPort);
constexpr Field kOptReadAccess{0x80 + 30, 1}, kOptAtomicAccess{0x80 + 29, 1}, kOptWriteAccess{0x80 + 28, 1};

/// Attributes of the queue pair that a change to state INIT copies from the command to the stored context;
/// the next lists are those of the changes to RTR and RTS. Source: Programmer's Reference Manual, table "QP
/// State Transitions: required and optional parameters".
constexpr Field kOfInit[] = {qpc::kPathMigration, kPathPort, inside(qpc::kPrimaryPath, path::kPkeyIndex),
                             qpc::kQKey, qpc::kAtomicMode};
constexpr Field kOfRtr[] = {qpc::kMtu,
                            qpc::kLogMsgMax,
                            qpc::kRemoteQpn,
                            kRlid,
                            qpc::kLogRraMax,
                            qpc::kMinRnrNak,
                            qpc::kNextReceivePsn,
                            inside(qpc::kPrimaryPath, path::kGrh),
                            inside(qpc::kPrimaryPath, path::kServiceLevel)};
constexpr Field kOfRts[] = {qpc::kLogAckReqFreq, qpc::kLogSraMax,
                            qpc::kRetryCount,    qpc::kRnrRetry,
                            qpc::kNextSendPsn,   inside(qpc::kPrimaryPath, path::kAckTimeout)};

template <std::size_t N>
void take(const void* in, const Field (&fields)[N], mlx5dv_devx_obj& object) {
  for (const Field field : fields) set(object.context.data(), field, get(in, inside(kQpcInMailbox, field)));
}

/// Copies the remote access rights from the command to the queue pair.
/// @param all true: sets all rights (command RST2INIT). False: sets those whose bit in the command's
/// optional-parameter mask is set, and those that the command grants even without that bit
void take_access(const void* in, bool all, mlx5dv_devx_obj& object) {
  constexpr struct {
    Field right, mask;
  } kRights[] = {{qpc::kRemoteRead, kOptReadAccess},
                 {qpc::kRemoteWrite, kOptWriteAccess},
                 {qpc::kRemoteAtomic, kOptAtomicAccess}};
  for (const auto& [right, mask] : kRights) {
    const std::uint64_t asked = get(in, inside(kQpcInMailbox, right));
    if (all || asked != 0 || get(in, mask) != 0) set(object.context.data(), right, asked);
  }
}

unsigned access_of(const mlx5dv_devx_obj& object) {
  const auto has = [&object](Field field) { return get(object.context.data(), field) != 0; };
  return (has(qpc::kRemoteRead) ? kRemoteRead : 0) | (has(qpc::kRemoteWrite) ? kRemoteWrite : 0) |
         (has(qpc::kRemoteAtomic) ? kRemoteAtomic : 0);
}

std::uint8_t state_value(QueueState state) {
  switch (state) {
    case QueueState::kReset:
      return qpc::kReset;
    case QueueState::kInit:
      return qpc::kInit;
    case QueueState::kReadyToReceive:
      return qpc::kRtr;
    case QueueState::kReadyToSend:
      return qpc::kRts;
    case QueueState::kError:
      return qpc::kError;
  }
  return qpc::kError;
}

}  // namespace

bool needs_context(std::uint16_t opcode) { return opcode != kQp2Err && opcode != kQp2Rst; }

Status modify_queue_pair(const void* in, mlx5dv_devx_obj& object) {
  const auto opcode = static_cast<std::uint16_t>(get(in, kOpcode));
  const StateChange* step = nullptr;
  for (const StateChange& one : kSteps)
    if (one.opcode == opcode) step = &one;
  if (step == nullptr) return kBadOperation;
  const std::lock_guard lock(Registry::get().mutex);
  const std::optional<QueuePairFacts> facts = object.card->query_queue_pair(object.number);
  if (!facts || (step->from && *step->from != facts->state)) return kBadQpState;
  QueuePairChange change;
  change.state = step->to;
  mlx5dv_devx_obj next = object;
  if (needs_context(opcode)) {
    if (opcode == kRst2Init || opcode == kInit2Init) {
      const std::uint64_t port = get(in, inside(kQpcInMailbox, kPathPort));
      if (port != verbs::kPort) return kBadParameter;
      take(in, kOfInit, next);
    }
    take_access(in, opcode == kRst2Init, next);
    change.access = access_of(next);
    if (opcode == kInit2Rtr) {
      take(in, kOfRtr, next);
      change.remote_queue = static_cast<std::uint32_t>(get(next.context.data(), qpc::kRemoteQpn));
      change.remote_lid = static_cast<std::uint16_t>(get(next.context.data(), kRlid));
    }
    if (opcode == kRtr2Rts) {
      take(in, kOfRts, next);
      change.receiver_retries = static_cast<unsigned>(get(next.context.data(), qpc::kRnrRetry));
    }
  }
  if (!object.card->modify_queue_pair(object.number, change)) return kBadQpState;
  object.context = next.context;
  return kOk;
}

Status query_queue_pair(void* out, const mlx5dv_devx_obj& object) {
  const std::lock_guard lock(Registry::get().mutex);
  const std::optional<QueuePairFacts> facts = object.card->query_queue_pair(object.number);
  if (!facts) return kBadResource;
  std::memcpy(static_cast<std::byte*>(out) + kQpcInMailbox / 8, object.context.data(), kQpcBytes);
  set(out, inside(kQpcInMailbox, qpc::kState), state_value(facts->state));
  return kOk;
}

}  // namespace collbench::softmlx5::direct
