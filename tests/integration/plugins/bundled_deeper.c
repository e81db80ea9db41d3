// A private library that another private library needs: the same name in each bundle, but another version.
int bundled_deeper(void);

int bundled_deeper(void) {
  return BUNDLED_VERSION;
}
