#include "engines/cpu/tuning.h"

#include <algorithm>
#include <span>

#include "engines/cpu/peer_set.h"

namespace collbench::cpu {
namespace {

constexpr std::size_t kKiB = 1024;

// Rules measured with 4, 8 and 16 ranks with a core each (of 64), 8 B to 2 MiB, isolated and pipelined; with
// 2 ranks on other machines. Operations without a rule use the ring or direct. Of rules for the same size,
// those with more ranks come first. A rule whose algorithm needs a power of two ranks is followed by one for
// other numbers.
using enum CollectiveKind;
using enum Algorithm;

/// Default algorithms over TCP (transport socket), by collective, lowest number of ranks and largest payload
/// S in bytes; some rules also have a highest number of ranks and a smallest payload. For allgather,
/// reducescatter and alltoall S includes the parts of all ranks.
const AlgorithmRule kOfSocket[] = {
    {kAllreduce, 2, 64 * kKiB, kRecursiveDoubling},
    {kAllreduce, 4, 4096 * kKiB, kHalvingDoubling},
    {kAllreduce, 2, 1024 * kKiB, kHalvingDoubling},
    {kAllgather, 3, 4096 * kKiB, kRecursiveDoubling},
    {kAllgather, 3, 256 * kKiB, kBruck},
    // Two ranks send each other one message: a ring's chunks are not passed on.
    {kAllgather, 2, 2048 * kKiB, kDirect, 2},
    {kAllgather, 2, 64 * kKiB, kDirect},
    {kReducescatter, 4, 128 * kKiB, kHalvingDoubling},
    {kReducescatter, 2, 64 * kKiB, kDirect},
    {kReducescatter, 2, 1024 * kKiB, kHalvingDoubling, 2, 256 * kKiB},
    {kBroadcast, 3, 128 * kKiB, kBinomial},
    {kBroadcast, 12, 4096 * kKiB, kDoubleBinaryTree},
    {kBroadcast, 6, 1024 * kKiB, kDoubleBinaryTree},
    {kBroadcast, 3, 512 * kKiB, kBinomial},
    {kBroadcast, 2, 32 * kKiB, kDirect},
    // One message is best here: between two ranks, the ring's chunks are not passed on.
    {kBroadcast, 2, 8192 * kKiB, kBinomial, 2},
    {kReduce, 6, 128 * kKiB, kBinomial},
    {kReduce, 6, 4096 * kKiB, kDoubleBinaryTree},
    {kReduce, 3, 32 * kKiB, kDirect},
    {kReduce, 2, 32 * kKiB, kDirect},
    {kReduce, 2, 1024 * kKiB, kBinomial},
    {kAlltoall, 3, 64 * kKiB, kBruck},
};

/// Default algorithms over sisci, ibgda and plugins, where a message costs little time and copying much.
const AlgorithmRule kOfMemory[] = {
    {kAllgather, 2, 2048 * kKiB, kDirect, 2},
    {kAllreduce, 4, 4 * kKiB, kRecursiveDoubling},
    {kAllreduce, 12, 128 * kKiB, kHalvingDoubling},
    {kAllreduce, 4, 256 * kKiB, kHalvingDoubling},
    {kAllreduce, 2, 8 * kKiB, kRecursiveDoubling},
    {kAllreduce, 2, 512 * kKiB, kHalvingDoubling, 2, 64 * kKiB},
    {kAllgather, 3, 512 * kKiB, kRecursiveDoubling},
    {kAllgather, 3, 16 * kKiB, kBruck},
    {kAllgather, 2, 8 * kKiB, kDirect},
    // Around a ring of 32 ranks each hop of 1 KiB takes 1 us, 32 us in total; an allreduce by halving takes
    // 27 us.
    {kReducescatter, 24, 128 * kKiB, kHalvingDoubling},
    {kReducescatter, 12, 64 * kKiB, kHalvingDoubling},
    {kReducescatter, 6, 16 * kKiB, kHalvingDoubling},
    {kReducescatter, 2, 8 * kKiB, kDirect},
    {kBroadcast, 2, 512, kDirect, 5},
    {kBroadcast, 3, 8 * kKiB, kBinomial},
    {kBroadcast, 8, 4096 * kKiB, kDoubleBinaryTree},
    {kBroadcast, 3, 256 * kKiB, kDoubleBinaryTree},
    {kBroadcast, 2, 4 * kKiB, kDirect},
    {kBroadcast, 2, 256 * kKiB, kBinomial, 2},
    {kReduce, 6, 8 * kKiB, kBinomial},
    {kReduce, 3, 8 * kKiB, kDirect},
    {kReduce, 3, 4096 * kKiB, kDoubleBinaryTree},
    {kReduce, 2, 4 * kKiB, kDirect},
    {kAlltoall, 6, 2 * kKiB, kBruck},
};

/// Default algorithms over shm; the rules of kOfMemory follow them. Shm copies long messages once more than
/// other transports, so fewer and longer messages are faster up to some MiB.
const AlgorithmRule kOfShm[] = {
    {kAllgather, 2, 2048 * kKiB, kDirect, 2},
    {kAllreduce, 2, 512 * kKiB, kRecursiveDoubling, 2},
    {kReducescatter, 2, 512 * kKiB, kHalvingDoubling, 2, 64 * kKiB},
    {kReduce, 2, 64 * kKiB, kDirect, 2},
    {kReduce, 2, 2048 * kKiB, kBinomial, 2},
    {kAllreduce, 4, 4 * kKiB, kRecursiveDoubling},
    {kAllreduce, 4, 4096 * kKiB, kHalvingDoubling},
    {kAllgather, 3, 4096 * kKiB, kRecursiveDoubling},
    {kBroadcast, 2, 512, kDirect, 5},
    {kBroadcast, 3, 8 * kKiB, kBinomial},
    {kBroadcast, 3, 4096 * kKiB, kDoubleBinaryTree},
    {kBroadcast, 2, 4 * kKiB, kDirect},
    // One message and one copy are best here: between two ranks, the ring's chunks are not passed on.
    {kBroadcast, 2, 512 * kKiB, kBinomial, 2},
};

/// Largest payload in bytes for which the protocol ll is chosen. Measured with two processes on two cores, 8
/// B to 2 KiB: flags save 5 % of the time while message and flags fit into one cache line (28 bytes); beyond
/// that they cost time.
constexpr std::size_t kFlaggedPayload = 16;

bool can_take(Algorithm algorithm, const Operation& operation, int ranks, PeerSet widest) noexcept {
  const AlgorithmRow& row = row_of(algorithm);
  return row.takes(operation, ranks) && peer_set_of(row, operation) <= widest;
}

/// Returns the first rule for this operation and number of ranks whose algorithm can be used; null = none.
const AlgorithmRule* rule_for(const std::vector<AlgorithmRule>& rules, const Operation& operation, int ranks,
                              PeerSet widest) noexcept {
  const std::size_t bytes = payload_bytes(operation, ranks);
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const AlgorithmRule& one) {
    return one.kind == operation.kind && ranks >= one.min_ranks && ranks <= one.max_ranks &&
           bytes >= one.min_bytes && bytes <= one.max_bytes &&
           can_take(one.algorithm, operation, ranks, widest);
  });
  return rule == rules.end() ? nullptr : &*rule;
}

}  // namespace

std::optional<Protocol> find_protocol(std::string_view name) noexcept {
  const auto* const found = std::find(std::begin(kProtocolNames), std::end(kProtocolNames), name);
  if (found == std::end(kProtocolNames)) return std::nullopt;
  return static_cast<Protocol>(found - std::begin(kProtocolNames));
}

Tuning tuning_of(std::string_view transport) {
  Tuning tuning;
  const auto add = [&](std::span<const AlgorithmRule> rules) {
    for (const AlgorithmRule& rule : rules) tuning.rules.push_back(rule);
  };
  if (transport == "socket") {
    tuning.chunks.smallest = 32 * kKiB;
    add(kOfSocket);
    return tuning;
  }
  if (transport == "shm") add(kOfShm);
  if (transport == "shm" || transport == "sisci") tuning.flagged_payload = kFlaggedPayload;
  add(kOfMemory);
  return tuning;
}

const AlgorithmRow& choose(const std::vector<AlgorithmRule>& rules, const Operation& operation, int ranks,
                           PeerSet widest) noexcept {
  const AlgorithmRule* rule = rule_for(rules, operation, ranks, widest);
  if (rule != nullptr) return row_of(rule->algorithm);
  // Default order: the ring at any size; for collectives that only move data one hop, or several hops if
  // direct connects too many.
  for (const Algorithm usual :
       {Algorithm::kRing, Algorithm::kDirect, Algorithm::kBruck, Algorithm::kRecursiveDoubling})
    if (can_take(usual, operation, ranks, widest)) return row_of(usual);
  return row_of(operation.kind == CollectiveKind::kHypercube ? Algorithm::kRecursiveDoubling
                                                             : Algorithm::kDirect);
}

Protocol choose_protocol(const Tuning& tuning, const Operation& operation, int ranks, std::size_t longest,
                         PeerSet widest) noexcept {
  // One message of a traffic matrix may have all its bytes.
  const std::size_t bytes = operation.traffic == nullptr
                                ? payload_bytes(operation, ranks)
                                : operation.traffic->total() * size_of(operation.dtype);
  if (bytes > longest) return Protocol::kSimple;
  if (tuning.protocol) return *tuning.protocol;
  const AlgorithmRule* rule = rule_for(tuning.rules, operation, ranks, widest);
  if (rule != nullptr && rule->protocol) return *rule->protocol;
  return bytes <= tuning.flagged_payload ? Protocol::kLl : Protocol::kSimple;
}

}  // namespace collbench::cpu
