// expect: a struct with more than 32 members needs static constexpr auto fields()
#include <mcp/plugin/typed.hpp>

struct In {
  int m0;
  int m1;
  int m2;
  int m3;
  int m4;
  int m5;
  int m6;
  int m7;
  int m8;
  int m9;
  int m10;
  int m11;
  int m12;
  int m13;
  int m14;
  int m15;
  int m16;
  int m17;
  int m18;
  int m19;
  int m20;
  int m21;
  int m22;
  int m23;
  int m24;
  int m25;
  int m26;
  int m27;
  int m28;
  int m29;
  int m30;
  int m31;
  int m32;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.m0; });
}
