/* Preloaded: every sync takes 50 ms longer, as on a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int descriptor) {
  struct timespec pause = {0, 50 * 1000 * 1000};
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&pause, 0);
  return sync(descriptor);
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
