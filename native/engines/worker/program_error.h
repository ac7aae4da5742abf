#pragma once
// Finds the error message of a program that has ended in its output file.
#include <string>

namespace collbench::worker {

/// Returns the exception that ended a Python or C++ program, from the end of its output:
/// "torch.OutOfMemoryError: CUDA out of memory. ..."; "" if there is none.
std::string last_exception(const std::string& output);

/// Same for the last bytes of an open file; "" for -1.
std::string last_exception_in(int log_fd);

/// Returns whether an error is only the consequence of another rank's end, and so no cause.
bool is_peer_failure(const std::string& text);

}  // namespace collbench::worker
