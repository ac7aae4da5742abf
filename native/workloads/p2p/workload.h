#pragma once
// Messages between pairs of ranks, i and i + n/2, or from all others to rank 0 (incast). Axes: operation,
// direction (uni, bi; for put and get), window (messages of a unit that are under way at the same time),
// bytes (of one). Units of work:
//   pingpong  a window there and a window back: a round trip, two one-way latencies
//   put       a window from i to i + n/2, complete where it arrives
//   get       i sends a request for each message, i + n/2 answers with the window
//   exchange  a window each way at the same time
//   incast    a window from every other rank to rank 0
#include <memory>
#include <string>

#include "workloads/workload.h"

namespace collbench {

std::unique_ptr<Workload> create_p2p(const WorkloadContext& context, const Axes& axes);
std::string p2p_in_words(const Axes& axes);

}  // namespace collbench
