#pragma once
// What libnvrtc-double.so gives for a cubin and libcuda-double.so takes: this line, then a kernel's name per
// line.

namespace collbench::cuda_double {

inline constexpr char kImageTag[] = "collbench test double image 1\n";
inline constexpr const char* kKernelNames[] = {"collbench_fill", "collbench_poison", "collbench_verify",
                                               "collbench_gate"};

}  // namespace collbench::cuda_double
