#pragma once
// What libnvrtc-fake.so gives for a cubin and libcuda-fake.so takes: this line, then a kernel's name per
// line.

namespace collbench::cuda_fake {

inline constexpr char kImageTag[] = "collbench fake image 1\n";
inline constexpr const char* kKernelNames[] = {"collbench_fill", "collbench_poison", "collbench_verify",
                                               "collbench_hold"};

}  // namespace collbench::cuda_fake
