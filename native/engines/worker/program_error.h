#pragma once
// Finds the error message of a program that has ended in its output file.
#include <string>

namespace collbench::worker {

/// Returns the text of the exception that ended a C++ or Python program, from the program's output:
/// "torch.OutOfMemoryError: CUDA out of memory. ...". It is one line of at most 400 characters. If the output
/// has exceptions of both languages, the last C++ one is returned; "" if it has none.
std::string last_exception(const std::string& output);

/// Returns the result of last_exception() for the last 64 KiB of the program's output file.
/// @param log_fd descriptor of the open file; -1, or no regular file: the result is ""
std::string last_exception_in(int log_fd);

/// Returns true if a Python program's error has one of the usual phrases for a lost connection. Such an error
/// only says that another rank has ended, and the cause is at that rank.
bool is_peer_failure(const std::string& text);

}  // namespace collbench::worker
