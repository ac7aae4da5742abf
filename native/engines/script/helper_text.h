#pragma once

namespace collbench::script {

/// Returns collbench.py, which user programs import.
const char* helper_text() noexcept;
const char* startup_text() noexcept;

}  // namespace collbench::script
