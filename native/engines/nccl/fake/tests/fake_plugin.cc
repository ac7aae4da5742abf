// A net plugin with nothing but a name, for the fake, which reads nothing else.
#define EXPORT extern "C" __attribute__((visibility("default")))

struct Table {
  const char* name;
  void* functions[19];
};
EXPORT Table ncclNetPlugin_v9;
Table ncclNetPlugin_v9 = {"FAKE", {}};
