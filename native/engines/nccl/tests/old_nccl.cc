// Fake library that only says that it is NCCL 2.12.10, for tests.
extern "C" __attribute__((visibility("default"))) int ncclGetVersion(int* version) {
  *version = 21210;
  return 0;
}
