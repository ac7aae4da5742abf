#pragma once

namespace collbench::nccl {

/// GB/s (bytes copied, not read plus written) at which one thread copies between two host buffers far larger
/// than the caches: what bounds a transport through host memory for each copy it makes. Takes some tens of
/// milliseconds.
double host_copy_gbps();

}  // namespace collbench::nccl
