import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mustExecute } from './command.ts';
import type { FaultUndo } from './faults.ts';
import type { TestHost } from './host.ts';

/** Faults that need a C++ compiler. */

/** Builds a program in `folder` that needs the missing library libnothere.so. Returns the path of the program. */
export async function programWithoutLibrary(folder: string, name = 'collbench-agent'): Promise<string> {
  const file = path.join(folder, name);
  const script =
    'printf "int nothere() { return 0; }" | g++ -x c++ -shared -fPIC - -o libnothere.so && ' +
    'printf "int nothere(); int main() { return nothere(); }" | g++ -x c++ - -o "$1" -L. -lnothere && ' +
    'rm libnothere.so';
  await mkdir(folder, { recursive: true });
  await mustExecute('sh', ['-c', `cd "$2" && ${script}`, 'sh', file, folder]);
  return file;
}

const shim = `
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
// Adds the seconds found at the start of a file, which all processes map, to the wall clock.
namespace {
const volatile long* shift() {
  static const volatile long* seconds = [] {
    static const long none = 0;
    const int fd = open("/run/clock/shift", O_RDONLY | O_CLOEXEC);
    void* p = fd < 0 ? MAP_FAILED : mmap(nullptr, sizeof(long), PROT_READ, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? &none : static_cast<const volatile long*>(p);
  }();
  return seconds;
}
}  // namespace
extern "C" int clock_gettime(clockid_t id, struct timespec* t) {
  static const auto real = reinterpret_cast<int (*)(clockid_t, struct timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int r = real(id, t);
  if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) t->tv_sec += *shift();
  return r;
}
extern "C" int gettimeofday(struct timeval* t, void*) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
extern "C" time_t time(time_t* t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
`;

/**
 * Gives later logins a wall clock that `jump` shifts by seconds, forward or back, while their programs run. The kernel has
 * one wall clock for all hosts. So a library is loaded into every dynamically linked program; static programs and time
 * stamps of files keep the true time. CLOCK_MONOTONIC is not changed, because by definition it never jumps.
 */
export async function clockThatJumps(
  host: TestHost,
): Promise<{ jump(seconds: number): Promise<void>; undo: FaultUndo }> {
  await mustExecute(
    'sh',
    [
      '-c',
      'mkdir "$1" && g++ -O1 -shared -fPIC -x c++ - -o "$1/shim.so" -ldl',
      'sh',
      host.path('/run/clock'),
    ],
    shim,
  ); // prettier-ignore
  const file = host.path('/run/clock/shift');
  const jump = (seconds: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // The file is overwritten in place, because running programs have it mapped.
    return writeFile(file, bytes, { flag: 'r+' });
  };
  await writeFile(file, Buffer.alloc(8), { mode: 0o644 });
  const config = `${host.folder}/ssh/sshd_config`;
  await mustExecute('sed', ['-i', '1i SetEnv LD_PRELOAD=/run/clock/shim.so', config]);
  await host.stopSshd();
  await host.startSshd();
  return {
    jump,
    undo: async () => {
      await mustExecute('sed', ['-i', '/^SetEnv LD_PRELOAD=/d', config]);
      await host.stopSshd();
      await host.startSshd();
      // Running programs may still have the files mapped; removing mapped files is allowed.
      await rm(host.path('/run/clock'), { recursive: true });
    },
  };
}
