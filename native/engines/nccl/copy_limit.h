#pragma once

namespace collbench::nccl {

/// GB/s (bytes copied, not read plus written) at which so many threads together copy between host buffers far
/// larger than the caches, each its own: what bounds a transport through host memory for each copy it makes.
/// Takes some tens of milliseconds. @param threads at least 1
double host_copy_gbps(int threads);

}  // namespace collbench::nccl
