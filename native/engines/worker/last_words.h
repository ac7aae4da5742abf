#pragma once
// What a program said before it ended, from the file that its output goes to.
#include <string>

namespace collbench::worker {

/// "torch.OutOfMemoryError: CUDA out of memory. ...": the exception that ended a program of Python or C++,
/// from the end of its output; "" where there is none.
std::string last_exception(const std::string& output);

/// The same of the last bytes of an open file; "" for -1.
std::string last_exception_in(int log_fd);

/// What the end of a peer looks like from here: it is no cause.
bool is_of_a_peer(const std::string& text);

}  // namespace collbench::worker
