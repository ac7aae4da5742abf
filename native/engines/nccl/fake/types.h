#pragma once
// NCCL's constants, and arithmetic in its element types.
#include <cstddef>
#include <cstdint>
#include <span>

namespace collbench::nccl_fake {

enum NcclResult : int {
  kSuccess = 0,
  kCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};
inline constexpr int kTypeCount = 12, kFirstFloat8 = 10;
inline constexpr int kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4, kFirstOwnOp = 5;

std::size_t bytes_of_type(int dtype);
bool is_float_type(int dtype);

/// Computes out[i] = inputs[0][i] op inputs[1][i] op ... in this order. Floats are combined as float32
/// (float64 as double) and rounded once. Integers wrap; for kAvg their sum is divided by `inputs.size()` and
/// truncated. `op` is kSum to kAvg. `out` may be one of the inputs.
void combine(int dtype, int op, std::span<const void* const> inputs, void* out, std::size_t count);
/// Computes out[i] = in[i] * scalar in the element type. `scalar` is the address of one element.
void multiply(int dtype, const void* in, const void* scalar, void* out, std::size_t count);
/// Writes 1 / ranks as a float element to `out`: the factor that NCCL multiplies by for kAvg.
void reciprocal(int dtype, int ranks, void* out);

}  // namespace collbench::nccl_fake
