#pragma once
// Finds the error message of a program that has ended in its output file.
#include <string>

namespace collbench::worker {

/// Returns the last line or lines with the exception that ended a Python or C++ program, found at the end of
/// its output: "torch.OutOfMemoryError: CUDA out of memory. ..."; "" if there is none.
std::string last_exception(const std::string& output);

/// Returns the result of last_exception() for the end of the program's output file.
/// @param log_fd descriptor of the open file; -1 = there is no file, the result is ""
std::string last_exception_in(int log_fd);

/// Returns true if a Python program's error only says that another rank has ended. Then the cause is
/// at that other rank.
bool is_peer_failure(const std::string& text);

}  // namespace collbench::worker
