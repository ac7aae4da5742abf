#include "engines/nvshmem/offers.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/text.h"

namespace collbench::nvshmem {
namespace {

struct Kind {
  CollectiveKind ours;
  CollbenchNvshmemCollective theirs;
};
constexpr Kind kKinds[] = {{CollectiveKind::kAllreduce, kCollbenchNvshmemAllreduce},
                           {CollectiveKind::kAllgather, kCollbenchNvshmemAllgather},
                           {CollectiveKind::kReducescatter, kCollbenchNvshmemReducescatter},
                           {CollectiveKind::kBroadcast, kCollbenchNvshmemBroadcast},
                           {CollectiveKind::kAlltoall, kCollbenchNvshmemAlltoall}};

struct Type {
  DataType ours;
  CollbenchNvshmemType theirs;
};
constexpr Type kTypes[] = {
    {DataType::kFloat32, kCollbenchNvshmemFloat32},   {DataType::kFloat16, kCollbenchNvshmemFloat16},
    {DataType::kBfloat16, kCollbenchNvshmemBfloat16}, {DataType::kFloat64, kCollbenchNvshmemFloat64},
    {DataType::kInt32, kCollbenchNvshmemInt32},       {DataType::kInt64, kCollbenchNvshmemInt64}};

struct Op {
  ReduceOp ours;
  CollbenchNvshmemOp theirs;
};
constexpr Op kOps[] = {{ReduceOp::kSum, kCollbenchNvshmemSum},
                       {ReduceOp::kProd, kCollbenchNvshmemProd},
                       {ReduceOp::kMin, kCollbenchNvshmemMin},
                       {ReduceOp::kMax, kCollbenchNvshmemMax}};

template <class Row, std::size_t kCount, class Ours>
auto theirs_of(const Row (&rows)[kCount], Ours ours) {
  for (const Row& row : rows)
    if (row.ours == ours) return row.theirs;
  throw Error(ErrorCode::kInvalidArgument, "the nvshmem engine does not offer " + std::string(name_of(ours)) +
                                               "; it offers " +
                                               join(rows, [](const Row& row) { return name_of(row.ours); }));
}

template <class Row, std::size_t kCount>
std::vector<std::string> names(const Row (&rows)[kCount]) {
  std::vector<std::string> all;
  for (const Row& row : rows) all.emplace_back(name_of(row.ours));
  return all;
}

}  // namespace

std::optional<CollbenchNvshmemAlgorithm> find_algorithm(std::string_view name) {
  const auto found = std::find(std::begin(kAlgorithms), std::end(kAlgorithms), name);
  if (found == std::end(kAlgorithms)) return std::nullopt;
  return static_cast<CollbenchNvshmemAlgorithm>(found - std::begin(kAlgorithms));
}

std::vector<CollbenchNvshmemAlgorithm> algorithms_of(CollectiveKind kind) {
  if (kind != CollectiveKind::kAllreduce) return {kCollbenchNvshmemDirect, kCollbenchNvshmemVendor};
  return {kCollbenchNvshmemOneShot,    kCollbenchNvshmemTwoShot,          kCollbenchNvshmemRing,
          kCollbenchNvshmemSimpleRing, kCollbenchNvshmemAlternatingRings, kCollbenchNvshmemTree,
          kCollbenchNvshmemVendor};
}

std::vector<CollectiveKind> offered_kinds() {
  std::vector<CollectiveKind> kinds;
  for (const Kind& kind : kKinds) kinds.push_back(kind.ours);
  return kinds;
}
std::vector<std::string> offered_types() { return names(kTypes); }
std::vector<std::string> offered_ops() { return names(kOps); }

CollbenchNvshmemCall call_of(const CollectiveCall& call) {
  const Operation& operation = call.operation;
  CollbenchNvshmemCall made{};
  made.collective = theirs_of(kKinds, operation.kind);
  if (reduces(operation.kind)) {
    made.type = theirs_of(kTypes, operation.dtype);
    made.op = theirs_of(kOps, operation.op);
  }
  made.root = operation.root;
  made.element_bytes = size_of(operation.dtype);
  made.count = operation.count;
  made.send = call.send;
  made.recv = call.recv;
  return made;
}

}  // namespace collbench::nvshmem
