#pragma once

namespace collbench::tensorflow {

/// worker.py behind engines/worker/lines.py, as the agent carries them.
const char* worker_text() noexcept;

}  // namespace collbench::tensorflow
