#include "workloads/collective/operation.h"

#include <algorithm>

#include "core/error.h"

namespace collbench {

Operation operation_of(const Axes& axes, int ranks) {
  Operation operation;
  operation.kind = static_cast<CollectiveKind>(axes.choice("collective", kCollectiveKinds));
  operation.dtype = static_cast<DataType>(axes.choice("dtype", kDataTypeNames));
  if (reduces(operation.kind) || !axes.is_null("op"))
    operation.op = static_cast<ReduceOp>(axes.choice("op", kReduceOps));
  if (!axes.is_null("root")) operation.root = static_cast<int>(axes.whole("root", 0, 1 << 20));
  operation.in_place = axes.flag("inPlace");
  const auto bytes = static_cast<std::size_t>(axes.whole("bytes", 0, kMaxPayloadBytes));
  operation.count = count_of(operation, bytes, ranks);
  if (operation.root >= ranks)
    throw Error(ErrorCode::kInvalidArgument, "root " + std::to_string(operation.root) +
                                                 " is no rank; there are 0 to " + std::to_string(ranks - 1));
  if (payload_bytes(operation, ranks) != bytes)
    throw Error(ErrorCode::kInvalidArgument, std::to_string(bytes) + " bytes are no whole number of " +
                                                 std::string(name_of(operation.dtype)) + " on each of " +
                                                 std::to_string(ranks) + " ranks");
  check_runnable(operation, ranks);
  return operation;
}

BufferBytes buffer_bytes(const Operation& operation, int rank, int ranks, bool alike) {
  const std::size_t element = size_of(operation.dtype);
  const auto of = [&](int one) {
    const BufferShape shape = shape_of(operation, one, ranks);
    return BufferBytes{shape.send_elements * element, shape.recv_elements * element};
  };
  BufferBytes most = of(rank);
  for (int r = 0; alike && r < ranks; ++r)
    most = {std::max(most.send, of(r).send), std::max(most.recv, of(r).recv)};
  return most;
}

}  // namespace collbench
