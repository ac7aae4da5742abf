#pragma once

namespace collbench::nccl {

/// Measures the rate in GB/s at which `threads` threads together copy between host buffers far larger than
/// the caches. It bounds a transport through host memory for each copy that it makes. Counts copied bytes,
/// not read plus written ones. Takes some tens of milliseconds.
/// @param threads at least 1
double host_copy_gbps(int threads);

}  // namespace collbench::nccl
