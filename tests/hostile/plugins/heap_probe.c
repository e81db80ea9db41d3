// Loaded into a host by LD_PRELOAD: writes how many bytes of the heap are in use into the file that MCP_HEAP_PROBE
// names, as text of a fixed width, again and again. Memory that the system counts has pages that are only partly used,
// and so hides a leak of some bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void* probe(void* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) abort();
  for (;;) {
    const struct mallinfo2 heap = mallinfo2();
    char text[32];
    const int size = snprintf(text, sizeof text, "%20zu\n", heap.uordblks + heap.hblkhd);
    if (pwrite(file, text, (size_t)size, 0) != size) abort();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

__attribute__((constructor)) static void begin(void) {
  // Its workers have the variable, too.
  if (strcmp(program_invocation_short_name, "mcp-plugin-host") != 0) return;
  pthread_t thread;
  if (pthread_create(&thread, NULL, probe, getenv("MCP_HEAP_PROBE")) != 0) abort();
}
