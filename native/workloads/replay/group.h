#pragma once
// Groups of equally many ranks at an equal distance: of tensor parallel jobs 0-3 and 4-7 (4x1), of their data
// parallel ones 0 and 4, 1 and 5, ... (2x4). All ranks are in one of them.
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::replay {

struct Group {
  int size = 0, stride = 1;  // size 0: all ranks
  bool operator==(const Group&) const = default;
  [[nodiscard]] bool is_all() const noexcept { return size == 0; }
  [[nodiscard]] int position_of(int rank) const noexcept { return rank / stride % size; }
  /// By position, of the group that has `rank`.
  [[nodiscard]] std::vector<int> with(int rank) const;
};

/// Ranks of a group find each other through the collectives of an engine of all ranks.
class GroupBootstrap final : public Bootstrap {
 public:
  /// @param engine is free until the group has connected: its buffers are used
  GroupBootstrap(Engine& engine, const Group& group, int rank, int ranks)
      : engine_(engine), group_(group), rank_(rank), ranks_(ranks) {}
  [[nodiscard]] int rank() const override { return group_.position_of(rank_); }
  [[nodiscard]] int size() const override { return group_.size; }
  /// All ranks of all groups call it together.
  std::vector<std::string> all_gather(std::string_view key, const std::string& mine) override;

 private:
  /// The same number of bytes of every rank, one behind the other.
  std::string gather(std::string mine);

  Engine& engine_;
  const Group group_;
  const int rank_, ranks_;
};

}  // namespace collbench::replay
