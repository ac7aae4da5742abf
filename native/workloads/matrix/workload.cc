// Workload of an alltoallv by a traffic matrix. Axes: collective ("alltoallv"), matrix (its name), dtype,
// bytes (mean that a rank sends, S of the bandwidth formulas), busiestBytes, sentBytes and receivers (sums
// over a matrix from a file, for analysis; else null). The script of the request is the matrix in elements
// (traffic_matrix_of).
#include "workloads/workload.h"

#include <algorithm>

#include "core/error.h"
#include "workloads/collective/operation.h"

namespace collbench {
namespace matrix {
namespace {

constexpr Ability kNeeds[] = {Ability::kCollectives};
constexpr std::string_view kAxes[] = {"collective",   "matrix",    "dtype",    "bytes",
                                      "busiestBytes", "sentBytes", "receivers"};
constexpr std::string_view kOperations[] = {name_of(CollectiveKind::kAlltoallv)};

/// Bytes of one alltoallv: `busiest` = the most that one rank sends to other ranks, or receives from them;
/// `sent` = all that ranks send to other ranks.
struct PortBytes {
  std::int64_t busiest = 0, sent = 0;
};
PortBytes port_bytes(const TrafficMatrix& matrix, std::size_t element) {
  std::size_t busiest = 0, sent = 0;
  for (int rank = 0; rank < matrix.ranks(); ++rank) {
    const std::size_t own = matrix.count(rank, rank);
    const std::size_t out = matrix.send_offset(rank, matrix.ranks()) - own;
    busiest = std::max({busiest, out, matrix.recv_offset(rank, matrix.ranks()) - own});
    sent += out;
  }
  return {static_cast<std::int64_t>(busiest * element), static_cast<std::int64_t>(sent * element)};
}

/// Checks the axis `name`, in which the request states a sum over the traffic matrix in bytes.
/// @param of_matrix the sum, computed from the matrix
/// @throws Error(kInvalidArgument) if the axis is neither null nor equal to it
void require_sum(const Axes& axes, std::string_view name, std::int64_t of_matrix) {
  if (axes.is_null(name) || axes.whole(name, 0, kMaxPayloadBytes) == of_matrix) return;
  throw Error(ErrorCode::kInvalidArgument, "axis " + std::string(name) + " is " +
                                               describe(axes.values().at(std::string(name))) +
                                               ", the traffic matrix has " + std::to_string(of_matrix));
}

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  static_cast<void>(axes.choice("collective", kOperations));
  static_cast<void>(axes.word("matrix"));
  Operation operation;
  operation.kind = CollectiveKind::kAlltoallv;
  operation.dtype = static_cast<DataType>(axes.choice("dtype", kDataTypeNames));
  const std::size_t element = size_of(operation.dtype);
  const TrafficMatrix& matrix = traffic_matrix_of(context.script, context.ranks, element);
  const auto ranks = static_cast<std::size_t>(context.ranks);
  const PortBytes ports = port_bytes(matrix, element);
  require_sum(axes, "busiestBytes", ports.busiest);
  require_sum(axes, "sentBytes", ports.sent);
  require_sum(axes, "bytes", static_cast<std::int64_t>(matrix.total() * element / ranks));
  operation.traffic = &matrix;
  operation.count = (matrix.total() + ranks * ranks - 1) / (ranks * ranks);
  return workload_of(context, operation);
}

std::string words_of(const Axes& axes) {
  return "alltoallv " + axes.word("matrix") + " " +
         format_size(static_cast<std::size_t>(axes.whole("bytes", 0, kMaxPayloadBytes)));
}

}  // namespace
}  // namespace matrix

WorkloadEntry matrix_workload() {
  return {"matrix", matrix::kNeeds, matrix::kAxes, matrix::create, matrix::words_of};
}

}  // namespace collbench
