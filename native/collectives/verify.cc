#include <algorithm>
#include <charconv>
#include <cstring>

#include "collectives/half.h"
#include "collectives/pattern.h"

namespace collbench {
namespace {

/// Number of bytes that are compared at a time. They fit into the first-level cache and are a multiple of
/// every element size.
constexpr std::size_t kBlockBytes = 16 * 1024;

template <class T>
std::string shortest(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

template <class T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string text_of(DataType type, const std::byte* at) {
  switch (type) {
    case DataType::kInt8:
      return std::to_string(load<std::int8_t>(at));
    case DataType::kUint8:
      return std::to_string(load<std::uint8_t>(at));
    case DataType::kInt32:
      return std::to_string(load<std::int32_t>(at));
    case DataType::kUint32:
      return std::to_string(load<std::uint32_t>(at));
    case DataType::kInt64:
      return std::to_string(load<std::int64_t>(at));
    case DataType::kUint64:
      return std::to_string(load<std::uint64_t>(at));
    case DataType::kFloat16:
      return shortest(float_of_half(load<std::uint16_t>(at)));
    case DataType::kBfloat16:
      return shortest(float_of_bfloat16(load<std::uint16_t>(at)));
    case DataType::kFloat32:
      return shortest(load<float>(at));
    case DataType::kFloat64:
      return shortest(load<double>(at));
    case DataType::kFloat8e4m3:
      return shortest(float_of_float8e4m3(load<std::uint8_t>(at)));
    case DataType::kFloat8e5m2:
      return shortest(float_of_float8e5m2(load<std::uint8_t>(at)));
  }
  return {};
}

/// Returns a text that says where a wrong value comes from; "" if it is not recognised. Tried in this order:
/// the poison, the value of the previous iteration, and for reductions the input of a single rank.
std::string explain(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t index,
                    const std::byte* got) {
  const std::size_t element = size_of(pattern.operation.dtype);
  std::byte other[8];
  poison(pattern.operation, other, element);
  if (std::memcmp(other, got, element) == 0) return "the value before the transfer (poison)";
  if (iteration > 0) {
    expected_output(pattern, rank, iteration - 1, index, 1, other);
    if (std::memcmp(other, got, element) == 0)
      return "the value of iteration " + std::to_string(iteration - 1);
  }
  if (!reduces(pattern.operation.kind)) return {};
  const std::size_t at = index + result_base(pattern.operation, rank);
  for (int r = 0; r < pattern.ranks; ++r) {
    input_elements(pattern, r, iteration, at, 1, other);
    if (std::memcmp(other, got, element) == 0) return "the value of rank " + std::to_string(r) + " only";
  }
  return {};
}

}  // namespace

Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const void* recv) {
  const std::size_t element = size_of(pattern.operation.dtype);
  const std::size_t total = shape_of(pattern.operation, rank, pattern.ranks).recv_elements;
  const std::size_t step = kBlockBytes / element;
  const auto* data = static_cast<const std::byte*>(recv);
  alignas(64) std::byte wanted[kBlockBytes];
  Verification result;
  for (std::size_t first = 0; first < total; first += step) {
    const std::size_t n = std::min(step, total - first);
    expected_output(pattern, rank, iteration, first, n, wanted);
    const std::byte* got = data + first * element;
    result.compared += n;
    if (std::memcmp(wanted, got, n * element) == 0) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::memcmp(wanted + i * element, got + i * element, element) == 0) continue;
      if (result.wrong++ > 0) continue;
      result.first_index = first + i;
      result.wanted = text_of(pattern.operation.dtype, wanted + i * element);
      result.got = text_of(pattern.operation.dtype, got + i * element);
      result.note = explain(pattern, rank, iteration, first + i, got + i * element);
    }
  }
  return result;
}

}  // namespace collbench
