// Wrappers of libc functions for programs that must start on old systems. glibc 2.34 moved threads and dlopen
// into libc.so.6 under new version names, so a program linked there refuses to start on older systems. These
// wrappers stand between our objects (and the static libstdc++ and libgcc) and libc. ld's --wrap redirects
// each call here, and the wrapper calls the oldest version of the function. CMakeLists.txt lists the names.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#define CB_FIRST "GLIBC_2.2.5"
#define CB_JUMP "jmp cb_old_"
#define CB_FAR "@PLT"
#elif defined(__aarch64__)
#define CB_FIRST "GLIBC_2.17"
#define CB_JUMP "b cb_old_"
#define CB_FAR ""
#else
#error "portable builds are for x86-64 and arm64; configure with -DCOLLBENCH_PORTABLE=OFF"
#endif

// A jump instead of a call, because dlsym(RTLD_NEXT) examines its caller.
#define CB_FORWARD(name, version)                                                                      \
  asm(".symver cb_old_" #name "," #name "@" version "\n.globl __wrap_" #name "\n.hidden __wrap_" #name \
      "\n.type __wrap_" #name ",%function\n__wrap_" #name ":\n" CB_JUMP #name CB_FAR "\n");

CB_FORWARD(pthread_create, CB_FIRST)
CB_FORWARD(pthread_detach, CB_FIRST)
CB_FORWARD(pthread_join, CB_FIRST)
CB_FORWARD(pthread_once, CB_FIRST)
CB_FORWARD(pthread_key_create, CB_FIRST)
CB_FORWARD(__pthread_key_create, CB_FIRST)
CB_FORWARD(pthread_key_delete, CB_FIRST)
CB_FORWARD(pthread_getspecific, CB_FIRST)
CB_FORWARD(pthread_setspecific, CB_FIRST)
CB_FORWARD(pthread_rwlock_rdlock, CB_FIRST)
CB_FORWARD(pthread_rwlock_wrlock, CB_FIRST)
CB_FORWARD(pthread_rwlock_unlock, CB_FIRST)
CB_FORWARD(pthread_mutex_trylock, CB_FIRST)
CB_FORWARD(pthread_sigmask, CB_FIRST)
CB_FORWARD(dlopen, CB_FIRST)
CB_FORWARD(dlsym, CB_FIRST)
CB_FORWARD(dlvsym, CB_FIRST)
CB_FORWARD(dlclose, CB_FIRST)
CB_FORWARD(dlerror, CB_FIRST)
CB_FORWARD(dladdr, CB_FIRST)
#if defined(__x86_64__)
CB_FORWARD(dlinfo, "GLIBC_2.3.3")
CB_FORWARD(pthread_setaffinity_np, "GLIBC_2.3.4")
#else
CB_FORWARD(dlinfo, CB_FIRST)
CB_FORWARD(pthread_setaffinity_np, CB_FIRST)
#endif

extern "C" {
// libstdc++ reads a nonzero value as a promise that no other thread runs; 0 makes it count atomically.
char __wrap___libc_single_threaded = 0;

std::uint32_t __wrap_arc4random() {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

// Kernel and libc use the same layout on the architectures built here.
int __wrap_stat(const char* path, struct stat* found) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, found, 0));
}
int __wrap_lstat(const char* path, struct stat* found) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW));
}
int __wrap_fstat(int fd, struct stat* found) { return static_cast<int>(syscall(SYS_fstat, fd, found)); }
int __wrap_fstat64(int fd, struct stat* found) { return __wrap_fstat(fd, found); }

/// Replaces a function of glibc 2.30: waits for a condition until a time on a given clock. Older libraries
/// wait only by the wall clock. There, the remaining time is converted to the wall clock; if that clock is
/// set during the wait, the end of the wait moves.
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto real = reinterpret_cast<Wait>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));
  if (real != nullptr) return real(condition, mutex, clock, until);
  timespec now{}, wall{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t left = (until->tv_sec - now.tv_sec) * kSecond + (until->tv_nsec - now.tv_nsec);
  const std::int64_t end = wall.tv_sec * kSecond + wall.tv_nsec + std::max<std::int64_t>(left, 0);
  const timespec deadline{static_cast<time_t>(end / kSecond), static_cast<long>(end % kSecond)};
  return pthread_cond_timedwait(condition, mutex, &deadline);
}

/// Replaces a function of glibc 2.30: returns the id of the calling thread.
pid_t __wrap_gettid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Replaces a function of glibc 2.32: returns the name of a signal ("SEGV"). On older systems it returns
/// nullptr.
const char* __wrap_sigabbrev_np(int signal) {
  using Name = const char* (*)(int);
  const auto name = reinterpret_cast<Name>(dlsym(RTLD_DEFAULT, "sigabbrev_np"));
  return name == nullptr ? nullptr : name(signal);
}

/// Replaces a function of glibc 2.34: a spawned program gets no file descriptors from `from` on. On older
/// systems only the descriptors that are open now, up to 1023, are closed.
int __wrap_posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
  using Add = int (*)(posix_spawn_file_actions_t*, int);
  const auto add = reinterpret_cast<Add>(dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np"));
  if (add != nullptr) return add(actions, from);
  constexpr int kLast = 1024;
  for (int fd = from; fd < kLast; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) continue;
    if (const int error = posix_spawn_file_actions_addclose(actions, fd); error != 0) return error;
  }
  return 0;
}
}
