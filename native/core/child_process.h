#pragma once
// Arguments, environment and file descriptors of a program that is started in a forked process.
#include <map>
#include <string>
#include <vector>

#include "core/file_descriptor.h"

namespace collbench {

/// Returns a duplicate of the descriptor with a number of at least 10, above those that a child process gets.
/// Otherwise a dup2 in the child could overwrite a descriptor that is needed later. The duplicate is closed
/// on exec; `fd` stays open.
/// @throws Error(kInternal) if the system refuses
FileDescriptor lift(int fd);

/// Returns the environment of this process as "NAME=value", with the variables of `extra` added. Where both
/// have a variable, the value is that of `extra`.
std::vector<std::string> merge_environment(const std::map<std::string, std::string>& extra);

/// Returns the texts as execve() takes them, with a null pointer at the end. Valid as long as `texts`.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

}  // namespace collbench
