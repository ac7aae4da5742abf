#pragma once
// Rule for the environment variables that may leave the machine, because an environment contains secrets too.
// The controller applies the same rule (results/store/environment.ts); the contract has prefixes, patterns
// and samples of it.
#include <string>
#include <string_view>

namespace collbench::facts {

/// Prefixes of the environment variables that are recorded; all others are ignored.
inline constexpr std::string_view kRecordedPrefixes[] = {"NCCL_", "NVSHMEM_", "UCX_",     "FI_",
                                                         "OFI_",  "OMPI_",    "SOFTNTB_", "COLLBENCH_"};

// The patterns mean the same in POSIX (extended) and in ECMAScript, so that both languages use one text.

/// Variables whose name matches this pattern, in upper or lower case, are not recorded. They may be secret:
/// SOFTNTB_FABRIC contains the run's token. COLLBENCH_LIVE is excluded because it only concerns the screen
/// and changes no result.
inline constexpr char kSecretName[] =
    "TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$";
/// Pattern of all parameters of Open MPI. Only those that match kRecordedOpenMpiParameter are recorded,
/// because others contain addresses and keys of the job.
inline constexpr char kOpenMpiParameter[] = "^OMPI_MCA_";
inline constexpr char kRecordedOpenMpiParameter[] = "^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)";
/// Variables whose value matches this pattern are not recorded: it begins like a key of a known issuer (eyJ:
/// a JSON web token), or contains an address with a login.
inline constexpr char kSecretValue[] =
    "^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN )|"
    "://[^/]*@";
/// A value that matches all of these patterns may be a key and is not recorded: it is not a path, has at
/// least eight digits, and contains a word of at least 32 characters.
inline constexpr const char* kKeyLikeValue[] = {"^[^/]*$", "([^0-9]*[0-9]){8}", "[A-Za-z0-9+=_-]{32}"};
/// Maximum length in bytes of a value that the patterns examine; a longer value is cut.
inline constexpr std::size_t kMaxValueBytes = 4096;

/// True if the variable may be recorded: it has one of kRecordedPrefixes, and neither name nor value look
/// secret.
bool is_recorded(const std::string& name, const std::string& value);

}  // namespace collbench::facts
