#pragma once

namespace collbench::script {

/// collbench.py, which programs import.
const char* helper_text() noexcept;
const char* startup_text() noexcept;

}  // namespace collbench::script
