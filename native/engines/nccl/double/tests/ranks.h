#pragma once
// Ranks as threads of this process, each with its device, stream, memory and communicator.
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "engines/nccl/double/tests/library.h"

namespace double_test {

NcclUniqueId make_id();

/// One rank. Errors of the calls that are not under test end the program with a line.
class Rank {
 public:
  Rank(int rank, int ranks, const NcclUniqueId& id, int device = -1);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  const int rank, ranks;
  void* stream = nullptr;
  NcclComm* comm = nullptr;

  /// ncclCommInitRankConfig.
  int init(NcclConfig config = {});
  /// Polls until the communicator has left ncclInProgress; the state it has then.
  int settle(NcclComm* which) const;
  /// Device memory that lives as long as the rank.
  void* memory(std::size_t bytes);
  template <typename Value>
  Value* upload(const std::vector<Value>& values) {
    void* at = memory(values.size() * sizeof(Value) + 1);
    copy_in(at, values.data(), values.size() * sizeof(Value));
    return static_cast<Value*>(at);
  }
  /// Waits for the stream and copies.
  template <typename Value>
  std::vector<Value> download(const void* at, std::size_t count) const {
    std::vector<Value> values(count);
    copy_out(values.data(), at, count * sizeof(Value));
    return values;
  }
  void copy_in(void* at, const void* from, std::size_t bytes) const;
  void copy_out(void* to, const void* at, std::size_t bytes) const;
  int drain() const;

 private:
  NcclUniqueId id_;
  int device_;
  std::list<std::uint64_t> memory_;
};

/// Runs `body` for each rank in a thread of its own, the communicator made.
void with_ranks(int ranks, const std::function<void(Rank&)>& body);
/// The same without making communicators; device of rank r is devices[r] (empty: r).
void with_bare_ranks(int ranks, const std::function<void(Rank&)>& body, const std::vector<int>& devices = {});
/// Ends the test program with a line when `result` is not 0.
void must(int result, const char* what);

}  // namespace double_test
