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
    20'000'000;  // an engine may report DONE a little before the last write has landed

/// splitmix64 (Steele, Lea, Flood 2014): every 8 bytes differ between connections, directions and places.
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
    trouble_ = error.what();
  }
}

void PathProof::start(const End& end, unsigned int peer_node, std::uint64_t peer_segment) {
  end_ = end;
  peer_segment_ = peer_segment;
  if (peer_segment != kNoSegment)
    remote_ = std::make_unique<RemoteSegment>(adapter_, peer_node, static_cast<unsigned int>(peer_segment));
  fill_pattern(memory_.get(), end_.nonce, end_.sends);
}

void PathProof::send_registered() {
  if (segment_ == nullptr || remote_ == nullptr) {
    if (trouble_.empty()) trouble_ = "the peer's driver refuses to register memory";
    announce(*end_.peer, end_.peer_control->canary, kBad);
    step_ = Step::kJudge;
    return;
  }
  try {
    if (!remote_->connect()) return;
    if (queue_->idle() && arrived_ns_ == 0) {
      if (!queue_->start(*segment_, 0, *remote_, kProofBytes, kProofBytes)) return;
      arrived_ns_ = -1;
    }
    if (!queue_->finished()) return;
    announce(*end_.peer, end_.peer_control->canary, kGood);
  } catch (const Error& error) {
    trouble_ = error.what();
    announce(*end_.peer, end_.peer_control->canary, kBad);
  }
  arrived_ns_ = 0;
  step_ = Step::kJudge;
}

std::string PathProof::judge(const std::byte* received, bool sent_by_sender) const {
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

void PathProof::conclude_registered() {
  const bool peer_content = load_flag(end_.own->verdict.flag) == kGood;
  if (trouble_.empty() && peer_content) return;
  if (trouble_.empty()) trouble_ = "the peer did not get the DMA test pattern sent from registered memory";
}

std::optional<Path> PathProof::poll() {
  switch (step_) {
    case Step::kSend:
      send_registered();
      return std::nullopt;
    case Step::kJudge: {
      const auto flag = load_flag(end_.own->canary.flag);
      if (flag == 0) return std::nullopt;
      std::string seen;
      if (flag == kGood) seen = judge(memory_.get() + kProofBytes, !end_.sends);
      if (flag == kBad) seen = "the peer could not start DMA from registered memory";
      if (flag == kGood && !seen.empty()) {
        if (arrived_ns_ == 0) arrived_ns_ = now_ns();
        if (now_ns() - arrived_ns_ < kGraceNs) return std::nullopt;
      }
      if (trouble_.empty()) trouble_ = seen;
      announce(*end_.peer, end_.peer_control->verdict, seen.empty() ? kGood : kBad);
      arrived_ns_ = 0;
      step_ = Step::kAwaitVerdict;
      return std::nullopt;
    }
    case Step::kAwaitVerdict:
      if (load_flag(end_.own->verdict.flag) == 0) return std::nullopt;
      conclude_registered();
      // Both ends know both verdicts only if each also counts its own trouble, which its peer saw as a bad
      // flag.
      if (trouble_.empty()) return Path::kRegistered;
      if (!end_.sends) std::memset(end_.staging, static_cast<int>(kPoison), kProofBytes);
      if (!end_.sends) announce(*end_.peer, end_.peer_control->user_canary, kGood);  // the poison is laid: go
      step_ = end_.sends ? Step::kUserSend : Step::kUserJudge;
      return std::nullopt;
    case Step::kUserSend:
      if (load_flag(end_.own->user_canary.flag) == 0) return std::nullopt;
      try {
        if (queue_ == nullptr) queue_ = std::make_unique<DmaQueue>(adapter_);
        if (arrived_ns_ == 0) {
          if (!queue_->start_from_user(memory_.get(), *end_.peer, end_.staging_offset, kProofBytes))
            return std::nullopt;
          arrived_ns_ = -1;
        }
        if (!queue_->finished()) return std::nullopt;
        announce(*end_.peer, end_.peer_control->user_canary, kGood);
      } catch (const Error& error) {
        trouble_ += std::string("; ") + error.what();
        announce(*end_.peer, end_.peer_control->user_canary, kBad);
      }
      step_ = Step::kUserAwaitVerdict;
      return std::nullopt;
    case Step::kUserJudge: {
      const auto flag = load_flag(end_.own->user_canary.flag);
      if (flag == 0) return std::nullopt;
      const std::string seen = flag == kGood ? judge(end_.staging, true) : "the peer could not start it";
      if (!seen.empty() && flag == kGood) {
        if (arrived_ns_ == 0) arrived_ns_ = now_ns();
        if (now_ns() - arrived_ns_ < kGraceNs) return std::nullopt;
      }
      announce(*end_.peer, end_.peer_control->user_verdict, seen.empty() ? kGood : kBad);
      if (seen.empty()) break;
      throw Error(ErrorCode::kUnavailable,
                  "sisci: no DMA path works: " + trouble_ + "; DMA from user memory: " + seen);
    }
    case Step::kUserAwaitVerdict: {
      const auto flag = load_flag(end_.own->user_verdict.flag);
      if (flag == 0) return std::nullopt;
      if (flag == kGood) break;
      throw Error(ErrorCode::kUnavailable,
                  "sisci: no DMA path works: " + trouble_ + "; DMA from user memory did not arrive either");
    }
  }
  warn_once("sisci: " + trouble_ +
            ". Using DMA from user memory into a segment of the receiver's driver instead " +
            "(one more copy)");
  return Path::kUserMemory;
}

}  // namespace collbench::sisci
