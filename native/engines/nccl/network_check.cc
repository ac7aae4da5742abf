#include "engines/nccl/network_check.h"

#include <strings.h>

#include "core/error.h"

namespace collbench::nccl {

void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport) {
  const std::string& used = log.findings().network;
  for (const auto& [name, wanted] : environment) {
    if (name != "NCCL_NET" || used.empty() || strcasecmp(used.c_str(), wanted.c_str()) == 0) continue;
    throw Error(ErrorCode::kUnavailable,
                "NCCL uses network " + used + " where " + wanted + " was asked for: " + transport +
                    " did not start; its last words: " + (log.tail().empty() ? "none" : log.tail().back()));
  }
}

}  // namespace collbench::nccl
