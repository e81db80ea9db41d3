// A private library of a bundle: the same name in each, but another version, and a state of its own.
int bundled_deeper(void);
int bundled_version(void);
int bundled_calls(void);

static int calls = 0;

int bundled_version(void) {
  return BUNDLED_VERSION * 10 + bundled_deeper();
}

int bundled_calls(void) {
  return ++calls;
}
