#include "workloads/replay/group_layout.h"

#include <algorithm>
#include <cstring>

namespace collbench::replay {

std::vector<int> GroupLayout::with(int rank) const {
  const int first = rank - position_of(rank) * stride;
  std::vector<int> members;
  for (int i = 0; i < size; ++i) members.push_back(first + i * stride);
  return members;
}

std::vector<std::string> GroupBootstrap::all_gather(std::string_view /*key*/, const std::string& mine) {
  std::uint64_t bytes = mine.size();
  std::string text(sizeof bytes, '\0');
  std::memcpy(text.data(), &bytes, sizeof bytes);
  const std::string lengths = gather(std::move(text));
  std::vector<std::size_t> length_of(static_cast<std::size_t>(ranks_));
  for (std::size_t r = 0; r < length_of.size(); ++r) {
    std::memcpy(&bytes, lengths.data() + r * sizeof bytes, sizeof bytes);
    length_of[r] = bytes;
  }
  const std::size_t longest = *std::max_element(length_of.begin(), length_of.end());
  std::string padded = mine;
  padded.resize(longest);
  const std::string all = longest == 0 ? std::string() : gather(std::move(padded));
  std::vector<std::string> blobs;
  for (const int member : group_.with(rank_)) {
    const auto r = static_cast<std::size_t>(member);
    blobs.push_back(all.substr(r * longest, length_of[r]));
  }
  return blobs;
}

std::string GroupBootstrap::gather(std::string mine) {
  const std::size_t part = mine.size();
  std::string all(part * static_cast<std::size_t>(ranks_), '\0');
  void* const send = engine_.buffer(0, part);
  void* const recv = engine_.buffer(1, all.size());
  engine_.upload(send, mine.data(), part);
  Operation operation;
  operation.kind = CollectiveKind::kAllgather;
  operation.dtype = DataType::kUint8;
  operation.count = part;
  engine_.enqueue({operation, send, recv});
  engine_.synchronize();
  engine_.download(all.data(), recv, all.size());
  return all;
}

}  // namespace collbench::replay
