#include "collectives/pattern.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "collectives/pattern_kernels.h"

namespace collbench {
namespace {

constexpr std::uint64_t kRankStep = 0x9E37'79B9'7F4A'7C15ULL;  // odd, as is the next
constexpr std::uint64_t kIterationStep = 0xD1B5'4A32'D192'ED03ULL;

bool is_float(DataType t) noexcept { return t >= DataType::kFloat16; }
bool is_signed(DataType t) noexcept {
  return t == DataType::kInt8 || t == DataType::kInt32 || t == DataType::kInt64;
}
int ceil_log2(int n) noexcept { return static_cast<int>(std::bit_width(static_cast<unsigned>(n) - 1U)); }

/// Bits of the significand, hidden one included, and the largest exponent either way that leaves no
/// subnormals.
struct FloatFormat {
  int significand;
  int exponent;
};
FloatFormat format_of(DataType t) noexcept {
  switch (t) {
    case DataType::kFloat16:
      return {11, 14};
    case DataType::kBfloat16:
      return {8, 126};
    case DataType::kFloat32:
      return {24, 126};
    default:
      return {53, 1022};
  }
}

/// Form and bits for this type and op; key, index, offsets are the caller's.
ValueRequest request_for(const Pattern& pattern) noexcept {
  const DataType type = pattern.operation.dtype;
  const bool reducing = reduces(pattern.operation.kind);
  ValueRequest q;
  q.op = reducing ? pattern.operation.op : ReduceOp::kMax;
  const bool adds = q.op == ReduceOp::kSum || q.op == ReduceOp::kAvg;
  const int rank_bits = ceil_log2(pattern.ranks);
  if (is_float(type)) {
    const FloatFormat format = format_of(type);
    if (q.op == ReduceOp::kProd) {
      q.form = ValueForm::kPower;
      const int room = format.exponent / pattern.ranks;  // 2^(bits-1) <= room
      q.bits = static_cast<int>(std::bit_width(static_cast<unsigned>(room)));
    } else {
      q.form = ValueForm::kSmall;
      q.bits = std::max(1, format.significand + 1 - (adds ? rank_bits : 0));
    }
  } else if (q.op == ReduceOp::kAvg) {
    q.form = ValueForm::kSmall;
    q.bits = std::max(1, static_cast<int>(size_of(type)) * 8 - 1 - rank_bits - 1);
    q.centred = is_signed(type);
  }
  if (q.op == ReduceOp::kAvg) q.divisor = pattern.ranks;
  return q;
}

std::uint64_t offset_of(int rank, std::uint64_t iteration) noexcept {
  return static_cast<std::uint64_t>(rank) * kRankStep + iteration * kIterationStep;
}

/// SplitMix64's finaliser.
std::uint32_t key_of(std::uint64_t seed, std::uint64_t index_high) noexcept {
  std::uint64_t z = seed + index_high * 0xBF58'476D'1CE4'E5B9ULL + 0x9E37'79B9'7F4A'7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBULL;
  return static_cast<std::uint32_t>(z ^ (z >> 31));
}

/// Elements [first, first + count) of the vector that q's ranks combine to, block by block.
void write_values(ValueRequest q, const Pattern& pattern, std::uint64_t first, std::size_t count, void* out) {
  static const PatternKernels& kernels = pattern_kernels(best_isa());
  const auto kernel = kernels.values[static_cast<int>(pattern.operation.dtype)];
  const std::size_t element = size_of(pattern.operation.dtype);
  auto* to = static_cast<std::byte*>(out);
  while (count > 0) {
    const std::uint64_t to_boundary = (std::uint64_t{1} << 32) - (first & 0xFFFF'FFFFU);
    q.key = key_of(pattern.seed, first >> 32);
    q.first = static_cast<std::uint32_t>(first);
    q.count = static_cast<std::size_t>(std::min<std::uint64_t>({count, kPatternBlock, to_boundary}));
    kernel(q, to);
    to += q.count * element;
    first += q.count;
    count -= q.count;
  }
}

}  // namespace

const PatternKernels& pattern_kernels(Isa isa) noexcept {
  switch (isa) {
    case Isa::kAvx512:
      return pattern_kernels_avx512();
    case Isa::kAvx2:
      return pattern_kernels_avx2();
    case Isa::kBase:
      break;
  }
  return pattern_kernels_base();
}

void input_elements(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                    std::size_t count, void* out) {
  ValueRequest q = request_for(pattern);
  const std::uint64_t offset = offset_of(rank, iteration);
  q.offsets = &offset;
  q.ranks = 1;
  q.divisor = 0;
  write_values(q, pattern, first, count, out);
}

void fill_input(const Pattern& pattern, int rank, std::uint64_t iteration, void* send) {
  input_elements(pattern, rank, iteration, 0, shape_of(pattern.operation, rank, pattern.ranks).send_elements,
                 send);
}

void expected_output(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                     std::size_t count, void* out) {
  const Operation& operation = pattern.operation;
  if (operation.kind == CollectiveKind::kBroadcast)
    return input_elements(pattern, operation.root, iteration, first, count, out);
  if (operation.kind == CollectiveKind::kAllgather) {
    auto* to = static_cast<std::byte*>(out);
    while (count > 0) {
      const std::size_t within = first % operation.count;
      const std::size_t n = std::min(count, operation.count - within);
      input_elements(pattern, static_cast<int>(first / operation.count), iteration, within, n, to);
      to += n * size_of(operation.dtype);
      first += n;
      count -= n;
    }
    return;
  }
  constexpr int kUsualRanks = 64;
  std::uint64_t usual[kUsualRanks];
  std::vector<std::uint64_t> many(pattern.ranks > kUsualRanks ? static_cast<std::size_t>(pattern.ranks) : 0);
  std::uint64_t* offsets = many.empty() ? usual : many.data();
  for (int r = 0; r < pattern.ranks; ++r) offsets[r] = offset_of(r, iteration);
  ValueRequest q = request_for(pattern);
  q.offsets = offsets;
  q.ranks = pattern.ranks;
  const std::size_t base =
      operation.kind == CollectiveKind::kReducescatter ? in_place_offset(operation, rank) : 0;
  write_values(q, pattern, base + first, count, out);
}

void poison(const Operation& operation, void* data, std::size_t bytes) {
  const bool odd_or_small = !is_float(operation.dtype) && reduces(operation.kind) &&
                            (operation.op == ReduceOp::kProd || operation.op == ReduceOp::kAvg);
  if (bytes > 0) std::memset(data, odd_or_small ? 0x80 : 0xFF, bytes);
}

void prepare_buffers(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) {
  const BufferShape shape = shape_of(pattern.operation, rank, pattern.ranks);
  poison(pattern.operation, recv, shape.recv_elements * size_of(pattern.operation.dtype));
  fill_input(pattern, rank, iteration, send);
}

}  // namespace collbench
