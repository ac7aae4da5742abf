#pragma once
#include <span>
#include <string_view>

#include "beside/work.h"

namespace collbench::beside {

/// Those of hosts; every engine whose ranks compute on CPUs has them. Adding one: its file here, and a row in
/// kinds.cc.
std::span<const Kind> host_kinds() noexcept;

/// Multiplications and additions in registers, on all cores of the rank's share. Amount: threads.
std::vector<std::unique_ptr<Work>> compute(const Context& context);
/// Copies between buffers that fit no cache. Amount: threads.
std::vector<std::unique_ptr<Work>> copy(const Context& context);
/// Messages to the next rank, over a transport object of its own. Amount: connections.
std::vector<std::unique_ptr<Work>> traffic(const Context& context);

/// What was asked for, or what is usual. @throws Error(kInvalidArgument) naming the kind and what is allowed
int amount_of(const Context& context, std::string_view kind, int usual, int most);

}  // namespace collbench::beside
