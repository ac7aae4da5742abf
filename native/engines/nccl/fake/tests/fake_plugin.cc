// A net plugin of which only the name is real, for the fake, which looks no further.
#define EXPORT extern "C" __attribute__((visibility("default")))

struct Table {
  const char* name;
  void* functions[19];
};
EXPORT Table ncclNetPlugin_v9;
Table ncclNetPlugin_v9 = {"FAKE", {}};
