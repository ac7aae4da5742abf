#include "engines/mpi/settings.h"

#include "core/error.h"

namespace collbench::mpi {

MpiSettings parse_settings(const EngineSettings& settings) {
  MpiSettings parsed;
  for (const auto& [word, value] : settings) {
    if (word != "mpi")
      throw Error(ErrorCode::kInvalidArgument, "mpi: there is no setting \"" + word + "\"; there is mpi");
    parsed.mpi = value;
  }
  return parsed;
}

}  // namespace collbench::mpi
