// Launches kernels whose start may overlap with the end of the previous kernel of the stream (begin_kernel).
namespace {

template <class... Parameters, class... Arguments>
cudaError_t start_with(size_t shared, void (*kernel)(Parameters...), const CollbenchNvshmemPoint& point, void* stream,
                       Arguments... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(point.blocks));
  config.blockDim = dim3(static_cast<unsigned>(point.threads));
  config.dynamicSmemBytes = shared;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &early;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), const CollbenchNvshmemPoint& point, void* stream,
                  Arguments... arguments) {
  return start_with(0, kernel, point, stream, arguments...);
}

}  // namespace
