// Packing and combining of a layer with experts. The file has no includes. NVRTC compiles it into the kernels
// at the end; the host has twins of them (kernels.cc).
#ifndef COLLBENCH_WORKLOADS_MOE_DEVICE_EXPERTS_DEVICE_H
#define COLLBENCH_WORKLOADS_MOE_DEVICE_EXPERTS_DEVICE_H

namespace collbench {
namespace moe {

/// Arguments of packing: rows are copied to their places, by expert.
struct PackArgs {
  const void* tokens;                // Tokens of this rank, one after the other.
  const unsigned* token_of_row;      // Token that is copied, by row.
  const unsigned long long* places;  // Address to which it is copied, by row.
  unsigned long long rows;
  unsigned long long row_bytes;  // A multiple of 4.
  const unsigned* own_counts;    // Numbers of tokens for this rank's own experts, which nobody else sends,
  unsigned* announced;           // and where numbers of other ranks arrive.
  unsigned long long own_experts;
};

/// Arguments of combining: each token becomes the weighted sum of the outputs that came back for it.
struct CombineArgs {
  const unsigned* first_of_token;    // Index of the first output of each token, and number of all outputs.
  const unsigned long long* places;  // Address of each output (bfloat16), token by token.
  const float* weights;              // Weight of each output.
  unsigned short* combined;          // Sums of all tokens (bfloat16).
  unsigned long long tokens;
  unsigned long long hidden;  // Elements of a token, a multiple of 8.
};

/// Number of bytes that one kernel thread copies, and number of elements that one thread adds up.
constexpr unsigned kCopiedBytes = 16, kSummedElements = 8;

#ifdef __CUDACC__
/// Thread t copies the (t % parts)-th 16 bytes of row t / parts, where a row has `parts` such pieces. Thread
/// t also copies the number of tokens for own expert t.
extern "C" __global__ void collbench_moe_pack(PackArgs a) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread < a.own_experts) a.announced[thread] = a.own_counts[thread];
  const unsigned long long parts = (a.row_bytes + kCopiedBytes - 1) / kCopiedBytes;
  const unsigned long long row = thread / parts;
  if (row >= a.rows) return;
  const unsigned long long at = (thread - row * parts) * kCopiedBytes;
  const char* const from = static_cast<const char*>(a.tokens) + a.token_of_row[row] * a.row_bytes + at;
  char* const to = reinterpret_cast<char*>(a.places[row]) + at;
  if (a.row_bytes % kCopiedBytes == 0) {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
    return;
  }
  const unsigned long long left = a.row_bytes - at;
  for (unsigned n = 0; n < kCopiedBytes && n < left; n += sizeof(unsigned))
    *reinterpret_cast<unsigned*>(to + n) = *reinterpret_cast<const unsigned*>(from + n);
}

/// Thread t adds up the (t % parts)-th 8 elements of token t / parts in float32 and stores the sums as
/// bfloat16. A token has `parts` such pieces.
extern "C" __global__ void collbench_moe_combine(CombineArgs a) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned long long parts = a.hidden / kSummedElements, token = thread / parts;
  if (token >= a.tokens) return;
  const unsigned long long at = (thread - token * parts) * kSummedElements;
  float sums[kSummedElements] = {};
  for (unsigned n = a.first_of_token[token]; n < a.first_of_token[token + 1]; ++n) {
    const uint4 eight =
        *reinterpret_cast<const uint4*>(reinterpret_cast<const unsigned short*>(a.places[n]) + at);
    const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (unsigned i = 0; i < kSummedElements; ++i) {
      const unsigned bits = i % 2 == 0 ? words[i / 2] << 16 : words[i / 2] & 0xFFFF0000U;
      sums[i] += a.weights[n] * __uint_as_float(bits);
    }
  }
  unsigned made[4] = {};
  for (unsigned i = 0; i < kSummedElements; ++i) {
    const unsigned bits = __float_as_uint(sums[i]);
    const unsigned rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;  // To the nearest, ties to even.
    made[i / 2] |= rounded << (i % 2 * 16);
  }
  *reinterpret_cast<uint4*>(a.combined + token * a.hidden + at) =
      make_uint4(made[0], made[1], made[2], made[3]);
}
#endif

}  // namespace moe
}  // namespace collbench
#endif
