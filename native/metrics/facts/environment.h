#pragma once
// Rule for the environment variables that may leave the machine, because an environment contains secrets too.
// The controller applies the same rule and has its reasons (results/store/environment.ts); the contract has
// samples of it.
#include <string>

namespace collbench::facts {

/// True if the variable may be recorded: it begins with one of kRecordedPrefixes, and neither its name nor
/// the first kMaxValueBytes of its value look secret.
bool is_recorded(const std::string& name, const std::string& value);

}  // namespace collbench::facts
