#pragma once

namespace collbench::nccl {

/// Measures at which rate `threads` threads together copy between host buffers far larger than the caches, in
/// GB/s of copied bytes (not read plus written). A transport that makes n copies through host memory cannot
/// be faster than this rate divided by n. Takes some tens of milliseconds.
/// @param threads at least 1
double host_copy_gbps(int threads);

}  // namespace collbench::nccl
