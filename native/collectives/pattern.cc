#include "collectives/pattern.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/collective.h"
#include "collectives/pattern_form.h"

namespace collbench {
namespace {

std::uint64_t offset_of(int rank) noexcept { return static_cast<std::uint64_t>(rank) * kRankStep; }

/// Computes elements [first, first + count) of the data pattern and writes them to `out`. They are the input
/// of one rank if `q.ranks` is 1, otherwise the result of reducing the inputs of `q.ranks` ranks. Sets the
/// fields key, first and count of `q` for at most kPatternBlock elements at a time.
void write_values(ValueRequest q, const Pattern& pattern, std::uint64_t iteration, std::uint64_t first,
                  std::size_t count, void* out) {
  static const PatternKernels& kernels = pattern_kernels(best_isa());
  const auto kernel = kernels.values[static_cast<int>(pattern.operation.dtype)];
  const std::size_t element = size_of(pattern.operation.dtype);
  auto* to = static_cast<std::byte*>(out);
  while (count > 0) {
    const std::uint64_t to_boundary = (std::uint64_t{1} << 32) - (first & 0xFFFF'FFFFU);
    q.key = key_of(pattern.seed, iteration, first >> 32);
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
  ValueRequest q = input_request(pattern);
  const std::uint64_t offset = offset_of(rank);
  q.offsets = &offset;
  q.rank = rank;
  write_values(q, pattern, iteration, first, count, out);
}

void fill_input(const Pattern& pattern, int rank, std::uint64_t iteration, void* send) {
  input_elements(pattern, rank, iteration, 0, shape_of(pattern.operation, rank, pattern.ranks).send_elements,
                 send);
}

void expected_output(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                     std::size_t count, void* out) {
  const Operation& operation = pattern.operation;
  if (!reduces(operation.kind)) {
    auto* to = static_cast<std::byte*>(out);
    while (count > 0) {
      const SourceRange source = source_of(operation, rank, pattern.ranks, first);
      const std::size_t n = std::min(count, source.length);
      input_elements(pattern, source.rank, iteration, source.first, n, to);
      to += n * size_of(operation.dtype);
      first += n;
      count -= n;
    }
    return;
  }
  check_exact(pattern);
  constexpr int kUsualRanks = 64;
  std::uint64_t usual[kUsualRanks];
  std::vector<std::uint64_t> many(pattern.ranks > kUsualRanks ? static_cast<std::size_t>(pattern.ranks) : 0);
  std::uint64_t* offsets = many.empty() ? usual : many.data();
  for (int r = 0; r < pattern.ranks; ++r) offsets[r] = offset_of(r);
  ValueRequest q = result_request(pattern);
  q.offsets = offsets;
  write_values(q, pattern, iteration, result_base(operation, rank) + first, count, out);
}

void poison(const Operation& operation, void* data, std::size_t bytes) {
  if (bytes > 0) std::memset(data, poison_byte(operation), bytes);
}

void prepare_buffers(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) {
  const BufferShape shape = shape_of(pattern.operation, rank, pattern.ranks);
  poison(pattern.operation, recv, shape.recv_elements * size_of(pattern.operation.dtype));
  fill_input(pattern, rank, iteration, send);
}

}  // namespace collbench
