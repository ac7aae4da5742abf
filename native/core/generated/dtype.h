// Generated from results/schema/names.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collbench {

/// Element types. Their values are this project's own; the nccl engine converts them to ncclDataType_t.
enum class DataType : std::uint8_t {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kFloat8e4m3,
  kFloat8e5m2
};
inline constexpr std::string_view kDataTypeNames[] = {"int8",    "uint8",   "int32",      "uint32",
                                                      "int64",   "uint64",  "float16",    "bfloat16",
                                                      "float32", "float64", "float8e4m3", "float8e5m2"};
inline constexpr std::size_t kDataTypeBytes[] = {1, 1, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1};
/// Reductions. kAvg divides the sum by the number of ranks (for integers rounded towards zero, as in NCCL).
/// kPremulsum multiplies each rank's input by that rank's factor (premul_factor()), then adds.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMin, kMax, kAvg, kPremulsum };
inline constexpr std::string_view kReduceOps[] = {"sum", "prod", "min", "max", "avg", "premulsum"};

}  // namespace collbench
