#pragma once

namespace collbench::script {

/// Returns the text of collbench.py, the Python module that the user's program may import. startup_text()
/// returns the module that Python loads first.
const char* helper_text() noexcept;
const char* startup_text() noexcept;

}  // namespace collbench::script
