#pragma once
// What one step of a job does, item by item, as the controller writes it (suites/jobs/script.ts).
#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "workloads/replay/group.h"

namespace collbench::replay {

enum class Do : std::uint8_t { kCompute, kCall, kWait };

struct Item {
  Do what = Do::kWait;
  std::int64_t ns = 0;     // of kCompute
  std::size_t number = 0;  // of kCall: its place in Script::calls
};

struct Script {
  std::vector<Item> items;
  std::vector<Operation>
      calls;  // in the order of issuing; in place where there is such a thing, as frameworks do
  std::vector<Group> groups;  // by call
};

/// A line is one item: "compute NS"; "call COLLECTIVE DTYPE OP ROOT BYTES" with "-" where there is no
/// operation or root; "wait": until all calls before have ended. A call of groups of ranks has them behind
/// its bytes, which are those of one group, as its root is: "4x1" (group.h). Bytes are rounded up to whole
/// elements on each rank, as frameworks pad.
/// @throws Error(kInvalidArgument) naming the line
Script parse(std::string_view text, int ranks);

}  // namespace collbench::replay
