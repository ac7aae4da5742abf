#include "engines/local_bootstrap.h"

#include "core/error.h"

namespace collbench {

LocalRendezvous::LocalRendezvous(int ranks) : ranks_(ranks), given_(static_cast<std::size_t>(ranks)) {}

std::vector<std::string> LocalRendezvous::all_gather(int rank, std::string_view key,
                                                     const std::string& mine) {
  std::unique_lock lock(mutex_);
  if (arrived_ > 0 && key_ != key)
    throw Error(ErrorCode::kInternal, "rank " + std::to_string(rank) + " exchanges \"" + std::string(key) +
                                          "\" while others exchange \"" + key_ + "\"");
  key_ = key;
  given_.at(static_cast<std::size_t>(rank)) = mine;
  const unsigned round = round_;
  if (++arrived_ == ranks_) {
    // No rank can still be reading the previous result: it was copied under the lock, and a rank gives its
    // next blob only after that.
    complete_ = given_;
    arrived_ = 0;
    ++round_;
    changed_.notify_all();
    return complete_;
  }
  changed_.wait(lock, [&] { return round_ != round || !failure_.empty(); });
  if (round_ == round)
    throw Error(ErrorCode::kCancelled, "exchange of \"" + std::string(key) + "\" ended: " + failure_);
  return complete_;
}

void LocalRendezvous::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = reason;
  changed_.notify_all();
}

bool LocalRendezvous::failed() const {
  const std::lock_guard lock(mutex_);
  return !failure_.empty();
}

}  // namespace collbench
