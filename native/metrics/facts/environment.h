#pragma once
// Rule for the environment variables that may leave the machine, because an environment contains secrets too.
// The controller applies the same rule (results/store/environment.ts); the contract has prefixes, patterns
// and samples of it.
#include <string>
#include <string_view>

namespace collbench::facts {

/// Prefixes of the environment variables that are recorded.
inline constexpr std::string_view kRecordedPrefixes[] = {"NCCL_", "NVSHMEM_", "UCX_",     "FI_",
                                                         "OFI_",  "OMPI_",    "SOFTNTB_", "COLLBENCH_"};

// The patterns mean the same in POSIX (extended) and in ECMAScript, so that both languages use one text.

/// Pattern of secret names, in any case. The fabric's name contains the run's token; variables about the
/// screen change no result.
inline constexpr char kSecretName[] =
    "TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$";
/// Patterns of Open MPI's parameters: all, and those of data transports, which are recorded. Others contain
/// addresses and keys of the job.
inline constexpr char kOpenMpiParameter[] = "^OMPI_MCA_";
inline constexpr char kRecordedOpenMpiParameter[] = "^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)";
/// Pattern of secret values: prefixes of keys of known issuers (eyJ: a JSON web token), and a login inside an
/// address.
inline constexpr char kSecretValue[] =
    "^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN )|"
    "://[^/]*@";
/// Patterns of a possible key; it matches all of them: not a path, many digits, a long word.
inline constexpr const char* kKeyLikeValue[] = {"^[^/]*$", "([^0-9]*[0-9]){8}", "[A-Za-z0-9+=_-]{32}"};
/// Longer values are cut to this length before the patterns apply.
inline constexpr std::size_t kMaxValueBytes = 4096;

/// True for a variable with one of kRecordedPrefixes whose name and value do not look secret.
bool is_recorded(const std::string& name, const std::string& value);

}  // namespace collbench::facts
