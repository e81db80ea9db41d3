/* A library, but no plugin. */
int no_entry(void);

int no_entry(void) {
  return 0;
}
