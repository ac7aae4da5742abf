#pragma once
// Image that libnvrtc-fake.so returns as a cubin and libcuda-fake.so accepts, and the kernels that both know.

namespace collbench::cuda_fake {

inline constexpr char kImage[] = "collbench fake image 1\n";
inline constexpr const char* kKernelNames[] = {"collbench_fill", "collbench_poison", "collbench_verify",
                                               "collbench_hold"};

}  // namespace collbench::cuda_fake
