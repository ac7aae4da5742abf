// Data pattern of pattern.h, element by element, in integer arithmetic so that no compiler's rounding
// matters. The file has no includes. NVRTC or nvcc compiles it into the kernels at the end; the host compiler
// builds it for tests, which compare it with pattern.cc bit for bit.
#ifndef COLLBENCH_COLLECTIVES_DEVICE_PATTERN_DEVICE_H
#define COLLBENCH_COLLECTIVES_DEVICE_PATTERN_DEVICE_H

#ifdef __CUDACC__
#define CB_DEVICE __device__ inline
#define CB_ALIAS
#else
#define CB_DEVICE inline
#define CB_ALIAS [[gnu::may_alias]]
#endif

namespace collbench {
namespace device {

using U8 = unsigned char;
using U16 = unsigned short;
using U32 = unsigned int;
using U64 = unsigned long long;
using S64 = long long;
using Element16 CB_ALIAS = U16;
using Element32 CB_ALIAS = U32;
using Element64 CB_ALIAS = U64;
struct alignas(16) CB_ALIAS Vector {
  U64 low;
  U64 high;
};
constexpr U64 kVectorBytes = sizeof(Vector);

// Twins of ValueForm, ReduceOp and CollectiveKind; args.cc checks that they agree.
enum Form { kWide, kSmall, kPower, kMean, kSparse };
constexpr U32 kDeviationMask = 15;
constexpr U32 kSparseBits = 2;
enum Op { kSum, kProd, kMin, kMax, kAvg, kPremulSum };
enum DeviceCollectiveKind {
  kAllreduce,
  kAllgather,
  kReducescatter,
  kBroadcast,
  kReduce,
  kAlltoall,
  kGather,
  kScatter,
  kSendrecv,
  kHypercube,
  kAlltoallv
};

/// Arguments with which kernels compute the data of one operation on one rank in one iteration. Created by
/// pattern_args(), passed to kernels by value.
struct PatternArgs {
  U64 count;  // Operation::count, in elements.
  U64 seed;
  U64 iteration;
  U64 send_elements;  // Elements in this rank's buffers.
  U64 recv_elements;
  U32 kind;  // One of DeviceCollectiveKind.
  U32 op;    // One of Op; kMax if nothing is reduced.
  U32 root;
  U32 rank;
  U32 ranks;
  U32 width;  // Bytes per element.
  U32 is_float;
  U32 is_signed;      // True for signed integers.
  U32 mantissa_bits;  // Mantissa bits of a float type, without the hidden bit.
  U32 exponent_bias;
  U32 form;          // One of Form: how pseudorandom bits become a value.
  U32 bits;          // kSmall: bits of a value; kMean: of the mean; kPower: of the exponent.
  U32 scrambled;     // 1 if each rank's pseudorandom bits are mixed again.
  U32 own;           // If scrambled: mask of the bits in which ranks differ.
  U32 centred;       // 1 if half of the values of kSmall and kMean are below zero.
  U64 reciprocal;    // kSparse: bits of the float 1/ranks.
  U32 result_shift;  // Floats: kAvg divides the sum by 2^result_shift.
  U32 divisor;       // Integers: kAvg divides the sum by this number; otherwise 1.
  U32 key;           // Key for the first 2^32 elements.
  U32 poison;        // Byte with which outputs are poisoned.
};

CB_DEVICE U32 mixed(U32 x) {
  x ^= x >> 16;
  x *= 0x7FEB352DU;
  x ^= x >> 15;
  x *= 0x846CA68BU;
  return x ^ (x >> 16);
}

CB_DEVICE U32 key_at(const PatternArgs& a, U64 index) {
  const U64 high = index >> 32;
  if (high == 0) return a.key;
  U64 z = a.seed + a.iteration * 0xD1B54A32D192ED03ULL + high * 0xBF58476D1CE4E5B9ULL + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<U32>(z ^ (z >> 31));
}

/// Returns the pseudorandom bits from which the test data of element `index` are made: 32, or for elements of
/// 8 bytes 64 that follow from these. They are the same for all ranks; with_rank() makes them different by
/// rank.
CB_DEVICE U64 raw_of(const PatternArgs& a, U64 index) {
  const U32 x = mixed(static_cast<U32>(index) ^ key_at(a, index));
  return a.width == 8 ? x * 0x9E3779B97F4A7C15ULL : x;
}

constexpr U64 kRankStep = 0x9E3779B97F4A7C15ULL;

CB_DEVICE U64 with_rank(const PatternArgs& a, U64 raw, U32 rank) {
  const U64 x = raw + rank * kRankStep;
  if (a.scrambled && a.width == 8) return mixed(static_cast<U32>(x));
  if (a.scrambled) return (mixed(static_cast<U32>(x)) & a.own) | (static_cast<U32>(raw) & ~a.own);
  return a.width == 8 ? x : static_cast<U32>(x);
}

/// Reduces an integer to the width of the element type. The result has its sign extended if the type is
/// signed.
CB_DEVICE U64 cut(const PatternArgs& a, U64 value) {
  const U32 unused = 64 - 8 * a.width;
  if (a.is_signed) return static_cast<U64>(static_cast<S64>(value << unused) >> unused);
  return (value << unused) >> unused;
}

CB_DEVICE U64 small_of(const PatternArgs& a, U64 x) {
  const U64 half = a.centred ? 1ULL << (a.bits - 1) : 0;
  return (x & ((1ULL << a.bits) - 1)) - half;
}

/// Test data of form kMean are a mean that all ranks share, plus a deviation that cancels within a pair of
/// ranks. Returns the deviation, which rank 2 * pair adds and rank 2 * pair + 1 subtracts.
CB_DEVICE U64 deviation_of(U64 raw, U32 pair) {
  const U64 bits = mixed(static_cast<U32>(raw + pair * kRankStep)) & kDeviationMask;
  return bits - kDeviationMask / 2;
}

/// Returns `times` times the mean of an element of the form kMean (which all ranks share), plus `ones` in
/// half of the elements.
CB_DEVICE U64 mean_of(const PatternArgs& a, U64 raw, U64 times, U64 ones) {
  return times * small_of(a, raw) + (raw >> a.bits & 1) * ones;
}

CB_DEVICE U64 mean_input(const PatternArgs& a, U64 raw, U32 rank) {
  const bool is_last = rank == a.ranks - 1;
  const U64 deviation = deviation_of(raw, rank / 2);
  const U64 own = rank % 2 == 1 ? 0 - deviation : is_last ? 0 : deviation;
  return cut(a, mean_of(a, raw, 1, rank > 0 ? 1 : 0) + own);
}

/// Returns the value of a rank's test data as an integer, for the forms kWide (whole range) and kSmall (few
/// bits). In the form kWide the lowest bit is fixed: 1 for products, else 0.
/// @param x the rank's pseudorandom bits, from with_rank()
CB_DEVICE U64 integer_of(const PatternArgs& a, U64 x) {
  if (a.form == kSmall) return small_of(a, x);
  return cut(a, (x << 1) | (a.op == kProd ? 1U : 0U));
}

/// Value of one element of test data of form kPower: 2^exponent, or -2^exponent if `negative` is 1.
struct Power {
  S64 exponent;
  U64 negative;
};
CB_DEVICE Power power_of(const PatternArgs& a, U64 x) {
  const U64 span = 1ULL << a.bits;
  return {static_cast<S64>((x >> 1) & (span - 1)) - static_cast<S64>(span >> 1), x & 1};
}

CB_DEVICE U64 float_bits(const PatternArgs& a, U64 negative, S64 exponent, U64 fraction) {
  const U64 biased = static_cast<U64>(exponent + static_cast<S64>(a.exponent_bias));
  return negative << (8 * a.width - 1) | biased << a.mantissa_bits | fraction;
}

CB_DEVICE U32 highest_bit(U64 value) {
#ifdef __CUDACC__
  return static_cast<U32>(63 - __clzll(static_cast<S64>(value)));
#else
  return static_cast<U32>(63 - __builtin_clzll(value));
#endif
}

/// Returns the bits of the floating-point number integer / 2^shift. The pattern contains only numbers for
/// which this is exact.
CB_DEVICE U64 float_of(const PatternArgs& a, U64 integer, U32 shift) {
  if (integer == 0) return 0;
  const U64 negative = integer >> 63;
  const U64 magnitude = negative ? 0 - integer : integer;
  const U32 top = highest_bit(magnitude);
  const U64 fraction =
      (top <= a.mantissa_bits ? magnitude << (a.mantissa_bits - top) : magnitude >> (top - a.mantissa_bits)) &
      ((1ULL << a.mantissa_bits) - 1);
  return float_bits(a, negative, static_cast<S64>(top) - static_cast<S64>(shift), fraction);
}

/// Returns the floating-point number with the bits `bits`, multiplied by a power of two and a sign that
/// follow from the element's pseudorandom bits `raw`, as bits. For test data of form kSparse.
CB_DEVICE U64 scaled_power(const PatternArgs& a, U64 raw, U64 bits) {
  const U64 negative = raw >> kSparseBits & 1;
  const U64 exponent = raw & ((1ULL << kSparseBits) - 1);
  return (bits + (exponent << a.mantissa_bits)) | negative << (8 * a.width - 1);
}

CB_DEVICE U64 sparse_input(const PatternArgs& a, U64 raw, U32 rank) {
  const U32 first = static_cast<U32>((raw >> (a.width == 8 ? 32 : 0)) * a.ranks >> 32);
  const U32 place = rank < first ? rank + a.ranks - first : rank - first;
  if (place > 2) return 0;
  const U64 one = static_cast<U64>(a.exponent_bias) << a.mantissa_bits;
  return scaled_power(a, raw, one) ^ (place == 2 ? 1ULL << (8 * a.width - 1) : 0);
}

/// Returns element `index` of the test data in the send buffer of `rank` (any rank), as bits of its type.
CB_DEVICE U64 input_of(const PatternArgs& a, U32 rank, U64 index) {
  const U64 raw = raw_of(a, index);
  if (a.form == kSparse) return sparse_input(a, raw, rank);
  if (a.form == kMean) return mean_input(a, raw, rank);
  const U64 x = with_rank(a, raw, rank);
  if (a.form == kPower) {
    const Power power = power_of(a, x);
    return float_bits(a, power.negative, power.exponent, 0);
  }
  const U64 value = integer_of(a, x);
  return a.is_float ? float_of(a, value, 0) : value;
}

CB_DEVICE bool less(const PatternArgs& a, U64 left, U64 right) {
  const U64 sign = a.is_float || a.is_signed ? 1ULL << 63 : 0;
  return (left ^ sign) < (right ^ sign);
}

CB_DEVICE U64 combined(const PatternArgs& a, U64 left, U64 right) {
  switch (a.op) {
    case kProd:
      return left * right;
    case kMin:
      return less(a, right, left) ? right : left;
    case kMax:
      return less(a, left, right) ? right : left;
    default:
      return left + right;
  }
}

/// Returns the expected result of the reduction over all ranks for element `index`, as bits of its type.
CB_DEVICE U64 reduced(const PatternArgs& a, U64 index) {
  const U64 raw = raw_of(a, index);
  if (a.form == kPower) {
    Power product = {0, 0};
    for (U32 r = 0; r < a.ranks; ++r) {
      const Power power = power_of(a, with_rank(a, raw, r));
      product.exponent += power.exponent;
      product.negative ^= power.negative;
    }
    return float_bits(a, product.negative, product.exponent, 0);
  }
  if (a.form == kSparse) return scaled_power(a, raw, a.reciprocal);
  U64 value;
  if (a.form == kMean) {
    value = mean_of(a, raw, a.ranks, a.ranks - 1);
  } else {
    value = integer_of(a, with_rank(a, raw, 0));
    for (U32 r = 1; r < a.ranks; ++r) {
      const U64 factor = a.op == kPremulSum ? 1 + r % 2 : 1;
      value = combined(a, value, integer_of(a, with_rank(a, raw, r)) * factor);
    }
  }
  if (a.is_float) return float_of(a, value, a.result_shift);
  value = cut(a, value);
  if (a.divisor == 1) return value;
  return a.is_signed ? static_cast<U64>(static_cast<S64>(value) / static_cast<S64>(a.divisor))
                     : value / a.divisor;
}

/// Returns the total length of those parts of an alltoallv whose (rank + peer) % ranks is less than `k`. Same
/// as parts_before() on the host; device_test compares the two.
CB_DEVICE U64 parts_before(const PatternArgs& a, U64 k) {
  if (a.ranks == 1) return k * a.count;
  const U64 twice = 2 * (static_cast<U64>(a.ranks) - 1);
  const U64 factor = k * (a.ranks + k - 2);
  return a.count / twice * factor + a.count % twice * factor / twice;
}
CB_DEVICE U64 uneven_offset(const PatternArgs& a, U32 rank, U32 peer) {
  const U64 end = static_cast<U64>(rank) + peer;
  const U64 skipped = parts_before(a, rank);
  if (end <= a.ranks) return parts_before(a, end) - skipped;
  return a.ranks * a.count - skipped + parts_before(a, end - a.ranks);
}

/// Origin of a received element: element `index` in the send buffer of `rank`.
struct ElementPosition {
  U32 rank;
  U64 index;
};

/// Returns which element of which rank an alltoallv leaves at `index` of this rank's receive buffer.
CB_DEVICE ElementPosition uneven_source(const PatternArgs& a, U64 index) {
  U32 peer = 0;
  U64 before = 0;
  for (U32 beyond = a.ranks; beyond - peer > 1;) {
    const U32 middle = peer + (beyond - peer) / 2;
    const U64 offset = uneven_offset(a, a.rank, middle);
    if (offset <= index) {
      peer = middle;
      before = offset;
    } else {
      beyond = middle;
    }
  }
  return {peer, uneven_offset(a, peer, a.rank) + index - before};
}

/// Returns where element `index` of this rank's receive buffer comes from, for collectives that do not
/// reduce.
CB_DEVICE ElementPosition source_of(const PatternArgs& a, U64 index) {
  const U64 own = a.rank * a.count;
  switch (a.kind) {
    case kBroadcast:
      return {a.root, index};
    case kScatter:
      return {a.root, own + index};
    case kSendrecv:
      return {(a.rank + a.ranks - 1) % a.ranks, index};
    case kAlltoallv:
      return uneven_source(a, index);
    default: {
      const U64 part = index / a.count;
      const U64 within = index - part * a.count;
      return {static_cast<U32>(part), a.kind == kAlltoall ? own + within : within};
    }
  }
}

/// Returns element `index` of this rank's send buffer (test data) as bits, in the low bytes of the result.
CB_DEVICE U64 device_input(const PatternArgs& a, U64 index) { return input_of(a, a.rank, index); }

/// Returns the value that element `index` of this rank's receive buffer must have, as bits in the low bytes.
CB_DEVICE U64 device_expected(const PatternArgs& a, U64 index) {
  if (a.kind == kAllreduce || a.kind == kReduce || a.kind == kReducescatter)
    return reduced(a, a.kind == kReducescatter ? a.rank * a.count + index : index);
  const ElementPosition place = source_of(a, index);
  return input_of(a, place.rank, place.index);
}

CB_DEVICE void store_element(const PatternArgs& a, void* to, U64 index, U64 bits) {
  switch (a.width) {
    case 1:
      static_cast<U8*>(to)[index] = static_cast<U8>(bits);
      break;
    case 2:
      static_cast<Element16*>(to)[index] = static_cast<U16>(bits);
      break;
    case 4:
      static_cast<Element32*>(to)[index] = static_cast<U32>(bits);
      break;
    default:
      static_cast<Element64*>(to)[index] = bits;
  }
}

CB_DEVICE U64 load_element(const PatternArgs& a, const void* from, U64 index) {
  switch (a.width) {
    case 1:
      return static_cast<const U8*>(from)[index];
    case 2:
      return static_cast<const Element16*>(from)[index];
    case 4:
      return static_cast<const Element32*>(from)[index];
    default:
      return static_cast<const Element64*>(from)[index];
  }
}

CB_DEVICE U64 low_bytes(const PatternArgs& a, U64 bits) {
  return a.width == 8 ? bits : bits & ((1ULL << (8 * a.width)) - 1);
}

/// Returns how many whole vectors (kVectorBytes each, one memory access) `n` elements at address `at` fill;
/// 0 if `at` is not aligned to vectors.
CB_DEVICE U64 vectors_in(const PatternArgs& a, const void* at, U64 n) {
  return reinterpret_cast<U64>(at) % kVectorBytes == 0 ? n / (kVectorBytes / a.width) : 0;
}

/// Returns as many consecutive elements, from index `first` on, as fit into one vector for memory accesses.
/// @param expected true: elements that this rank must receive; false: its input
CB_DEVICE Vector vector_of(const PatternArgs& a, U64 first, bool expected) {
  const U32 half = 8 / a.width;
  Vector vector = {0, 0};
  for (U32 e = 0; e < 2 * half; ++e) {
    const U64 bits = expected ? device_expected(a, first + e) : device_input(a, first + e);
    const U64 placed = low_bytes(a, bits) << (8 * a.width * (e % half));
    (e < half ? vector.low : vector.high) |= placed;
  }
  return vector;
}

/// Writes one GPU thread's share of the first `n` elements of this rank's test data to `send`.
/// @param worker number of the thread, of `workers` threads
CB_DEVICE void fill_share(const PatternArgs& a, void* send, U64 n, U64 worker, U64 workers) {
  const U64 each = kVectorBytes / a.width;
  const U64 vectors = vectors_in(a, send, n);
  for (U64 i = worker; i < vectors; i += workers)
    static_cast<Vector*>(send)[i] = vector_of(a, i * each, false);
  for (U64 i = vectors * each + worker; i < n; i += workers) store_element(a, send, i, device_input(a, i));
}

CB_DEVICE void poison_share(const PatternArgs& a, void* recv, U64 bytes, U64 worker, U64 workers) {
  const U64 word = a.poison * 0x0101010101010101ULL;
  const U64 vectors = reinterpret_cast<U64>(recv) % kVectorBytes == 0 ? bytes / kVectorBytes : 0;
  for (U64 i = worker; i < vectors; i += workers) static_cast<Vector*>(recv)[i] = {word, word};
  for (U64 i = vectors * kVectorBytes + worker; i < bytes; i += workers)
    static_cast<U8*>(recv)[i] = static_cast<U8>(a.poison);
}

struct WrongElements {
  U64 count;
  U64 first;  // Index of the first wrong element; all ones if count is 0.
};

CB_DEVICE void compare_elements(const PatternArgs& a, const void* recv, U64 first, U64 beyond, U64 step,
                                WrongElements& wrong) {
  for (U64 i = first; i < beyond; i += step) {
    if (load_element(a, recv, i) == low_bytes(a, device_expected(a, i))) continue;
    ++wrong.count;
    if (i < wrong.first) wrong.first = i;
  }
}

/// Compares one GPU thread's share of the first `n` received elements with the expected ones.
/// @param worker number of the thread, of `workers` threads
CB_DEVICE WrongElements verify_share(const PatternArgs& a, const void* recv, U64 n, U64 worker, U64 workers) {
  const U64 each = kVectorBytes / a.width;
  const U64 vectors = vectors_in(a, recv, n);
  WrongElements wrong = {0, ~0ULL};
  for (U64 i = worker; i < vectors; i += workers) {
    const Vector wanted = vector_of(a, i * each, true);
    const Vector got = static_cast<const Vector*>(recv)[i];
    if (wanted.low != got.low || wanted.high != got.high)
      compare_elements(a, recv, i * each, (i + 1) * each, 1, wrong);
  }
  compare_elements(a, recv, vectors * each + worker, n, workers, wrong);
  return wrong;
}

#ifdef __CUDACC__
CB_DEVICE U64 this_worker() { return static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x; }
CB_DEVICE U64 all_workers() { return static_cast<U64>(gridDim.x) * blockDim.x; }
CB_DEVICE U64 global_ns() {
  U64 ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// Writes the first `n` input elements of this rank. Works with one-dimensional grids of any size, as do the
/// other kernels.
extern "C" __global__ void collbench_fill(PatternArgs args, void* send, U64 n) {
  fill_share(args, send, n, this_worker(), all_workers());
}

extern "C" __global__ void collbench_poison(PatternArgs args, void* recv, U64 bytes) {
  poison_share(args, recv, bytes, this_worker(), all_workers());
}

/// Compares the first `n` output elements. Adds the number of wrong elements to result[0] and lowers
/// result[1] to the smallest wrong index. The caller must set result to {0, ~0, 0, 0} before.
extern "C" __global__ void collbench_verify(PatternArgs args, const void* recv, U64 n, U64* result) {
  const WrongElements wrong = verify_share(args, recv, n, this_worker(), all_workers());
  if (wrong.count == 0) return;
  atomicAdd(&result[0], wrong.count);
  atomicMin(&result[1], wrong.first);
}

/// Blocks the stream until the host has written `wanted` or a larger number to `*flag` (host memory mapped
/// for the device). After `timeout_ns` nanoseconds it ends anyway and sets *timed_out to 1. Launched with one
/// block of one thread.
extern "C" __global__ void collbench_hold(volatile U32* flag, U32 wanted, U32* timed_out, U64 timeout_ns) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const U64 start = global_ns();
  while (*flag < wanted) {
    if (global_ns() - start < timeout_ns) continue;
    *timed_out = 1;
    __threadfence_system();
    return;
  }
}
#endif

}  // namespace device
}  // namespace collbench

#undef CB_DEVICE
#undef CB_ALIAS
#endif
