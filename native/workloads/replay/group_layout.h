#pragma once
// Groups of equally many ranks at equal distance. In tensor parallel jobs they are 0-3 and 4-7 (4x1); in data
// parallel ones 0 and 4, 1 and 5, ... (2x4). Every rank is in exactly one group.
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::replay {

struct GroupLayout {
  int size = 0, stride = 1;  // Size 0 stands for all ranks.
  bool operator==(const GroupLayout&) const = default;
  [[nodiscard]] bool is_all() const noexcept { return size == 0; }
  [[nodiscard]] int position_of(int rank) const noexcept { return rank / stride % size; }
  /// Returns the ranks of that group which contains `rank`, ascending. Not for size 0 (all ranks).
  [[nodiscard]] std::vector<int> with(int rank) const;
};

/// Exchanges connection data within a group of ranks, for an engine that connects only this group. It uses
/// collectives of an engine that connects all ranks.
class GroupBootstrap final : public Bootstrap {
 public:
  /// @param engine must not be used otherwise until the group's engine has connected, because its buffers
  /// carry the exchanged data
  GroupBootstrap(Engine& engine, const GroupLayout& group, int rank, int ranks)
      : engine_(engine), group_(group), rank_(rank), ranks_(ranks) {}
  [[nodiscard]] int rank() const override { return group_.position_of(rank_); }
  [[nodiscard]] int size() const override { return group_.size; }
  /// Exchanges texts within the group. All ranks of all groups must call it together, because it uses
  /// collectives of all ranks.
  std::vector<std::string> all_gather(std::string_view key, const std::string& mine) override;

 private:
  /// Returns the texts of all ranks (not only of the group), one after the other; all must have the same
  /// length.
  std::string gather(std::string mine);

  Engine& engine_;
  const GroupLayout group_;
  const int rank_, ranks_;
};

}  // namespace collbench::replay
