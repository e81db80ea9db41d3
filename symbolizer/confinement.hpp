// What this program gives up, for good, before it reads a byte of a stranger's file.
#pragma once

namespace mcph {

// From then on it can read and write the descriptors that it has, use half a gigabyte of memory and five seconds, and
// nothing else: no file, no network, no process. False: this system does not allow to give that up.
bool give_up_everything_else();

}  // namespace mcph
