// DEVX: reads a mailbox, carries out its command, writes the answer. As in the driver, a mailbox without a
// full head fails at once (EINVAL), and so does a command that does not belong to the call. A command that
// the adapter refuses has its status in `out` and EREMOTEIO as errno.
#include "emulated/softmlx5/direct/commands.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "emulated/softmlx5/direct/objects.h"
#include "emulated/softmlx5/verbs/api.h"

namespace collbench::softmlx5::direct {
namespace {

using namespace rdma::devx;
using rdma::mlx5dv_devx_obj;

// one value for all errors: only the status names the failed check
constexpr std::uint32_t kUnnamedSyndrome = 0x5c0ffee;

bool has_heads(const void* in, std::size_t in_bytes, const void* out, std::size_t out_bytes) {
  return in != nullptr && out != nullptr && in_bytes >= kMailboxHeadBytes && out_bytes >= kMailboxHeadBytes;
}

std::uint16_t opcode_of(const void* in) { return static_cast<std::uint16_t>(get(in, kOpcode)); }

/// Writes the command's status to `out`, and sets errno if the command failed.
/// @returns what the DEVX function must return: 0, or EREMOTEIO if the command failed
int answer(void* out, Status status) {
  set(out, kStatus, status);
  set(out, kSyndrome, status == kOk ? 0 : kUnnamedSyndrome);
  return status == kOk ? 0 : verbs::fail(EREMOTEIO);
}

struct Creation {
  std::uint16_t opcode;
  std::uint32_t in_bytes;
  Status (*create)(const void* in, mlx5dv_devx_obj& object);
};
// Only page addresses follow the last field read; callers with umems send none.
constexpr Creation kCreations[] = {
    {kCreateCq, bytes_to(kCqUmemValid), create_completion_queue},
    {kCreateQp, bytes_to(kWqUmemValid), create_queue_pair},
};

bool destroy(mlx5dv_devx_obj& object) {
  return object.kind == mlx5dv_devx_obj::ObjectKind::kQueuePair
             ? object.card->destroy_queue_pair(object.number)
             : object.card->destroy_completion_queue(object.number);
}

}  // namespace
}  // namespace collbench::softmlx5::direct

namespace collbench::softmlx5::verbs::api {

using namespace rdma::devx;
using namespace direct;

int mlx5dv_devx_general_cmd(ibv_context*, const void* in, std::size_t in_bytes, void* out,
                            std::size_t out_bytes) {
  if (!has_heads(in, in_bytes, out, out_bytes) || opcode_of(in) != kQueryHcaCap) return fail(EINVAL);
  std::memset(out, 0, out_bytes);
  return answer(out, query_capabilities(in, out, out_bytes));
}

mlx5dv_devx_obj* mlx5dv_devx_obj_create(ibv_context* context, const void* in, std::size_t in_bytes, void* out,
                                        std::size_t out_bytes) {
  const Creation* creation = nullptr;
  if (has_heads(in, in_bytes, out, out_bytes))
    for (const Creation& one : kCreations)
      if (one.opcode == opcode_of(in)) creation = &one;
  if (creation == nullptr) return fail_with<mlx5dv_devx_obj>(EINVAL);
  std::memset(out, 0, out_bytes);
  auto object = std::make_unique<mlx5dv_devx_obj>();
  object->card = &card_of(context);
  object->owner = context;
  const Status status = in_bytes < creation->in_bytes ? kBadInputLength : creation->create(in, *object);
  if (answer(out, status) != 0) return nullptr;
  set(out, kOutObject, object->number);
  return object.release();
}

int mlx5dv_devx_obj_modify(mlx5dv_devx_obj* object, const void* in, std::size_t in_bytes, void* out,
                           std::size_t out_bytes) {
  if (!has_heads(in, in_bytes, out, out_bytes) || object->kind != mlx5dv_devx_obj::ObjectKind::kQueuePair ||
      get(in, kInObject) != object->number)
    return fail(EINVAL);
  std::memset(out, 0, out_bytes);
  const std::uint32_t needed =
      needs_context(opcode_of(in)) ? kQpcInMailbox / 8 + kQpcBytes : kMailboxHeadBytes;
  return answer(out, in_bytes < needed ? kBadInputLength : modify_queue_pair(in, *object));
}

int mlx5dv_devx_obj_query(mlx5dv_devx_obj* object, const void* in, std::size_t in_bytes, void* out,
                          std::size_t out_bytes) {
  if (!has_heads(in, in_bytes, out, out_bytes) || opcode_of(in) != kQueryQp ||
      object->kind != mlx5dv_devx_obj::ObjectKind::kQueuePair || get(in, kInObject) != object->number)
    return fail(EINVAL);
  std::memset(out, 0, out_bytes);
  return answer(out, out_bytes < kQueryQpOutBytes ? kBadOutputLength : query_queue_pair(out, *object));
}

int mlx5dv_devx_obj_destroy(mlx5dv_devx_obj* object) {
  const std::lock_guard lock(Registry::get().mutex);
  if (!destroy(*object)) return fail(EREMOTEIO);
  for (Umem* umem : object->umems) --umem->users;
  --object->uar->users;
  delete object;
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
