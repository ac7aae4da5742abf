#pragma once
// Bootstrap for ranks that are threads of one process, as in tests and in the Node.js addon.
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench {

/// Shared state for allgathers among ranks that are threads of one process. Thread-safe. Must outlive the
/// LocalBootstrap objects that use it.
class LocalRendezvous {
 public:
  explicit LocalRendezvous(int ranks);
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  std::vector<std::string> all_gather(int rank, std::string_view key, const std::string& mine);
  /// Ends all present and future waits in all_gather(): they throw Error(kCancelled) with this reason. Later
  /// calls of fail() do not change the reason.
  void fail(const std::string& reason);
  [[nodiscard]] bool failed() const;

 private:
  const int ranks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> given_;
  std::vector<std::string> complete_;
  std::string key_;
  int arrived_ = 0;
  unsigned round_ = 0;
  std::string failure_;
};

class LocalBootstrap final : public Bootstrap {
 public:
  LocalBootstrap(LocalRendezvous& rendezvous, int rank) : rendezvous_(rendezvous), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return rendezvous_.ranks(); }
  std::vector<std::string> all_gather(std::string_view key, const std::string& mine) override {
    return rendezvous_.all_gather(rank_, key, mine);
  }

 private:
  LocalRendezvous& rendezvous_;
  int rank_;
};

}  // namespace collbench
