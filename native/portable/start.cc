// Start code for programs only. The start code of glibc 2.34 needs a __libc_start_main that older versions
// lack. The old one exists everywhere, but it runs the constructors only if the program passes a function for
// them.
#include <cstddef>

#if defined(__x86_64__)
asm(".symver cb_old_start,__libc_start_main@GLIBC_2.2.5");
#else
asm(".symver cb_old_start,__libc_start_main@GLIBC_2.17");
#endif

extern "C" {
using Main = int (*)(int, char**, char**);
using Step = void (*)(int, char**, char**);
int cb_old_start(Main, int, char**, Step before, void (*after)(), void (*loader_end)(), void* stack);

[[gnu::visibility("hidden")]] extern Step __preinit_array_start[], __preinit_array_end[];
[[gnu::visibility("hidden")]] extern Step __init_array_start[], __init_array_end[];

static void run_constructors(int argc, char** argv, char** environment) {
  for (Step* step = __preinit_array_start; step != __preinit_array_end; ++step)
    (*step)(argc, argv, environment);
  for (Step* step = __init_array_start; step != __init_array_end; ++step) (*step)(argc, argv, environment);
}

// The loader runs destructors at exit: it knows the program's own array.
int __wrap___libc_start_main(Main main, int argc, char** argv, Step, void (*)(), void (*loader_end)(),
                             void* stack) {
  return cb_old_start(main, argc, argv, run_constructors, nullptr, loader_end, stack);
}
}
