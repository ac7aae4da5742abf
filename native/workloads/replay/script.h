#pragma once
// One step of a job, item by item, as the controller writes it (suites/jobs/script.ts).
#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "workloads/replay/group_layout.h"

namespace collbench::replay {

enum class ItemKind : std::uint8_t { kCompute, kCall, kWait };

struct ScriptItem {
  ItemKind what = ItemKind::kWait;
  std::int64_t ns = 0;     // kCompute: duration.
  std::size_t number = 0;  // kCall: index in Script::calls.
};

struct Script {
  std::vector<ScriptItem> items;
  std::vector<Operation>
      calls;  // Calls in the order of issuing; in place if the collective allows it, as in frameworks.
  std::vector<GroupLayout> groups;  // One group layout per call.
};

/// Parses a script with one item per line: "compute NS"; "call COLLECTIVE DTYPE OP ROOT BYTES", with "-" if
/// there is no reduction OP or no root; "wait" until all earlier calls have ended. A call within groups of
/// ranks has the layout of the groups after its bytes, such as "4x1" (group_layout.h). Its bytes and root are
/// then those of one group. Bytes are rounded up to whole elements on each rank, as frameworks pad.
/// @param ranks number of all ranks
/// @throws Error(kInvalidArgument) naming the line, or if the script has no call
Script parse(std::string_view text, int ranks);

}  // namespace collbench::replay
