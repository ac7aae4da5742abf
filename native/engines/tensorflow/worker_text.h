#pragma once

namespace collbench::tensorflow {

/// Returns engines/worker/lines.py and worker.py as one text, compiled into the agent.
const char* worker_text() noexcept;

}  // namespace collbench::tensorflow
