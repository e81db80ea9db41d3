/* The library that missing_dependency needs and no machine has: it is built, but put where nobody looks. */
int absent_library(void);

int absent_library(void) {
  return 1;
}
