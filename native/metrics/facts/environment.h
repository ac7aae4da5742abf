#pragma once
// Which variables of an environment leave the machine: an environment holds secrets, too. The controller
// applies the same rule (results/store/environment.ts); the contract holds prefixes, patterns and samples of
// it.
#include <string>
#include <string_view>

namespace collbench::facts {

/// Prefixes of the environment variables that are recorded.
inline constexpr std::string_view kRecordedPrefixes[] = {"NCCL_", "NVSHMEM_", "UCX_",     "FI_",
                                                         "OFI_",  "OMPI_",    "SOFTNTB_", "COLLBENCH_"};

// The patterns are regular expressions of POSIX (extended) and of ECMAScript alike, so that both languages
// have the same text.

/// Names that are secret, whatever their case. The fabric's name is the run's token; how the screen is
/// written changes no figure.
inline constexpr char kSecretName[] =
    "TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$";
/// Parameters of Open MPI. Those of the parts that move data are recorded; others hold addresses and keys of
/// the job.
inline constexpr char kOpenMpiParameter[] = "^OMPI_MCA_";
inline constexpr char kRecordedOpenMpiParameter[] = "^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)";
/// Secret values: how keys of known issuers begin (eyJ: a JSON web token), and a login inside an address.
inline constexpr char kSecretValue[] =
    "^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN )|"
    "://[^/]*@";
/// A value that matches all of these may be a key: it is no path, has many digits and a long word.
inline constexpr const char* kKeyLikeValue[] = {"^[^/]*$", "([^0-9]*[0-9]){8}", "[A-Za-z0-9+=_-]{32}"};
/// Longer values are cut here before anything else.
inline constexpr std::size_t kMostValueBytes = 4096;

/// One of kRecordedPrefixes, and neither name nor value looks like a secret.
bool is_recorded(const std::string& name, const std::string& value);

}  // namespace collbench::facts
