// Says that it is NCCL 2.12.10 and has nothing else; for the tests.
extern "C" __attribute__((visibility("default"))) int ncclGetVersion(int* version) {
  *version = 21210;
  return 0;
}
