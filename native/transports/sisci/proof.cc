#include "transports/sisci/proof.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "core/error.h"
#include "core/log.h"

namespace collbench::sisci {
namespace {

constexpr std::byte kPoison{0xA5};
constexpr std::int64_t kGraceNs =
    20'000'000;  // An engine may report DONE shortly before the last write arrives.

/// Returns a word of the test pattern, by splitmix64 (Steele, Lea, Flood 2014). The pattern differs between
/// connections, directions and positions, so that no other data can be taken for it.
/// @param sender true for the pattern that the sending end sends
/// @param index position in words of 8 bytes
std::uint64_t pattern_word(std::uint64_t nonce, bool sender, std::size_t index) {
  std::uint64_t z = nonce + (index + (sender ? 1 : 1'000'003)) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

void fill_pattern(std::byte* out, std::uint64_t nonce, bool sender) {
  for (std::size_t i = 0; i < kProofBytes / 8; ++i) {
    const std::uint64_t word = pattern_word(nonce, sender, i);
    std::memcpy(out + 8 * i, &word, 8);
  }
}

void warn_once(const std::string& text) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) log(LogLevel::kWarn, text);
}

}  // namespace

PathProof::PathProof(const Adapter& adapter) : adapter_(adapter) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, 2 * kProofBytes)));
  if (!memory_) throw std::bad_alloc();
  std::memset(memory_.get(), static_cast<int>(kPoison), 2 * kProofBytes);
  try {
    segment_ = std::make_unique<LocalSegment>(adapter_, memory_.get(), 2 * kProofBytes);
    queue_ = std::make_unique<DmaQueue>(adapter_);
  } catch (const Error& error) {
    segment_.reset();
    failure_text_ = error.what();
  }
}

void PathProof::start(const ProofEndpoint& end, unsigned int peer_node, std::uint64_t peer_segment) {
  end_ = end;
  peer_segment_ = peer_segment;
  if (peer_segment != kNoSegment)
    remote_ = std::make_unique<RemoteSegment>(adapter_, peer_node, static_cast<unsigned int>(peer_segment));
  fill_pattern(memory_.get(), end_.nonce, end_.sends);
}

void PathProof::send_registered() {
  if (segment_ == nullptr || remote_ == nullptr) {
    if (failure_text_.empty()) failure_text_ = "the peer's driver refuses to register memory";
    announce(*end_.peer, end_.peer_control->canary, kProofBad);
    step_ = ProofStep::kJudge;
    return;
  }
  try {
    if (!remote_->connect()) return;
    if (queue_->is_idle() && first_look_ns_ == 0) {
      if (!queue_->start(*segment_, 0, *remote_, kProofBytes, kProofBytes)) return;
      first_look_ns_ = -1;
    }
    if (!queue_->has_finished()) return;
    announce(*end_.peer, end_.peer_control->canary, kProofGood);
  } catch (const Error& error) {
    failure_text_ = error.what();
    announce(*end_.peer, end_.peer_control->canary, kProofBad);
  }
  first_look_ns_ = 0;
  step_ = ProofStep::kJudge;
}

std::string PathProof::compare_pattern(const std::byte* received, bool sent_by_sender) const {
  std::size_t wrong = 0, untouched = 0, first = 0;
  for (std::size_t i = 0; i < kProofBytes; ++i) {
    const std::uint64_t word = pattern_word(end_.nonce, sent_by_sender, i / 8);
    std::byte wanted;
    std::memcpy(&wanted, reinterpret_cast<const std::byte*>(&word) + i % 8, 1);
    if (received[i] == kPoison) ++untouched;
    if (received[i] == wanted) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  if (untouched == kProofBytes)
    return "DMA between registered memory reports success but moved nothing (" + std::to_string(untouched) +
           " of " + std::to_string(kProofBytes) +
           " test bytes unchanged): typical of a machine without a working IOMMU";
  return "a DMA test pattern arrived wrong (" + std::to_string(wrong) + " of " + std::to_string(kProofBytes) +
         " bytes, first at " + std::to_string(first) + ")";
}

void PathProof::record_registered_verdict() {
  const bool peer_content = load_flag(end_.own->verdict.flag) == kProofGood;
  if (failure_text_.empty() && peer_content) return;
  if (failure_text_.empty())
    failure_text_ = "the peer did not get the DMA test pattern sent from registered memory";
}

std::optional<DmaPath> PathProof::poll() {
  switch (step_) {
    case ProofStep::kSend:
      send_registered();
      return std::nullopt;
    case ProofStep::kJudge: {
      const auto flag = load_flag(end_.own->canary.flag);
      if (flag == 0) return std::nullopt;
      std::string seen;
      if (flag == kProofGood) seen = compare_pattern(memory_.get() + kProofBytes, !end_.sends);
      if (flag == kProofBad) seen = "the peer could not start DMA from registered memory";
      if (flag == kProofGood && !seen.empty()) {
        if (first_look_ns_ == 0) first_look_ns_ = now_ns();
        if (now_ns() - first_look_ns_ < kGraceNs) return std::nullopt;
      }
      if (failure_text_.empty()) failure_text_ = seen;
      announce(*end_.peer, end_.peer_control->verdict, seen.empty() ? kProofGood : kProofBad);
      first_look_ns_ = 0;
      step_ = ProofStep::kAwaitVerdict;
      return std::nullopt;
    }
    case ProofStep::kAwaitVerdict:
      if (load_flag(end_.own->verdict.flag) == 0) return std::nullopt;
      record_registered_verdict();
      // The ends know both verdicts only if each also counts its own failure, which its peer saw as a bad
      // flag.
      if (failure_text_.empty()) return DmaPath::kRegistered;
      if (!end_.sends) std::memset(end_.staging, static_cast<int>(kPoison), kProofBytes);
      // the staging memory is poisoned: the sender may start
      if (!end_.sends) announce(*end_.peer, end_.peer_control->user_canary, kProofGood);
      step_ = end_.sends ? ProofStep::kUserSend : ProofStep::kUserJudge;
      return std::nullopt;
    case ProofStep::kUserSend:
      if (load_flag(end_.own->user_canary.flag) == 0) return std::nullopt;
      try {
        if (queue_ == nullptr) queue_ = std::make_unique<DmaQueue>(adapter_);
        if (first_look_ns_ == 0) {
          if (!queue_->start_from_user(memory_.get(), *end_.peer, end_.staging_offset, kProofBytes))
            return std::nullopt;
          first_look_ns_ = -1;
        }
        if (!queue_->has_finished()) return std::nullopt;
        announce(*end_.peer, end_.peer_control->user_canary, kProofGood);
      } catch (const Error& error) {
        failure_text_ += std::string("; ") + error.what();
        announce(*end_.peer, end_.peer_control->user_canary, kProofBad);
      }
      step_ = ProofStep::kUserAwaitVerdict;
      return std::nullopt;
    case ProofStep::kUserJudge: {
      const auto flag = load_flag(end_.own->user_canary.flag);
      if (flag == 0) return std::nullopt;
      const std::string seen =
          flag == kProofGood ? compare_pattern(end_.staging, true) : "the peer could not start it";
      if (!seen.empty() && flag == kProofGood) {
        if (first_look_ns_ == 0) first_look_ns_ = now_ns();
        if (now_ns() - first_look_ns_ < kGraceNs) return std::nullopt;
      }
      announce(*end_.peer, end_.peer_control->user_verdict, seen.empty() ? kProofGood : kProofBad);
      if (seen.empty()) break;
      throw Error(ErrorCode::kUnavailable,
                  "sisci: no DMA path works: " + failure_text_ + "; DMA from user memory: " + seen);
    }
    case ProofStep::kUserAwaitVerdict: {
      const auto flag = load_flag(end_.own->user_verdict.flag);
      if (flag == 0) return std::nullopt;
      if (flag == kProofGood) break;
      throw Error(ErrorCode::kUnavailable, "sisci: no DMA path works: " + failure_text_ +
                                               "; DMA from user memory did not arrive either");
    }
  }
  warn_once("sisci: " + failure_text_ +
            ". Using DMA from user memory into a segment of the receiver's driver instead " +
            "(one more copy)");
  return DmaPath::kUserMemory;
}

}  // namespace collbench::sisci
