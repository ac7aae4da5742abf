// Generated from results/store/environment.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstddef>
#include <string_view>

namespace collbench::facts {

inline constexpr std::string_view kRecordedPrefixes[] = {
    "NCCL_", "NVSHMEM_", "CUDA_DEVICE_", "CUDA_LAUNCH_", "CUDA_MPS_ACTIVE_", "CUDA_VISIBLE_", "UCX_",
    "FI_",   "OFI_",     "OMPI_",        "MPIR_CVAR_",   "I_MPI_",           "SOFTNTB_",      "COLLBENCH_"};
inline constexpr char kSecretName[] =
    "TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$";
inline constexpr char kOpenMpiParameter[] = "^OMPI_MCA_";
inline constexpr char kRecordedOpenMpiParameter[] = "^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)";
inline constexpr char kSecretValue[] =
    "^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN "
    ")|://[^/]*@";
inline constexpr const char* kKeyLikeValue[] = {"^[^/]*$", "([^0-9]*[0-9]){8}", "[A-Za-z0-9+=_-]{32}"};
inline constexpr std::size_t kMaxValueBytes = 4096;

}  // namespace collbench::facts
