#include "concurrent_load/kinds.h"

#include <string>

#include "core/error.h"

namespace collbench::concurrent_load {
namespace {

constexpr LoadKind kKinds[] = {{"compute", compute}, {"copy", copy}, {"traffic", traffic}};

}  // namespace

std::span<const LoadKind> host_kinds() noexcept { return kKinds; }

int amount_of(const LoadContext& context, std::string_view kind, int usual, int most) {
  if (!context.amount) return usual;
  if (*context.amount >= 1 && *context.amount <= most) return *context.amount;
  const std::string name(kind);
  throw Error(ErrorCode::kInvalidArgument,
              "--beside " + name + ":" + std::to_string(*context.amount) + ": a rank may have 1 to " +
                  std::to_string(most) + " here; use " + name + " or " + name + ":" + std::to_string(most));
}

}  // namespace collbench::concurrent_load
