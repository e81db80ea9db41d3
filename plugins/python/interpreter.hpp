// The interpreter of the process. CPython cannot be unloaded, nor can many of its extension modules, so it is started
// once, by the first plugin that needs it, and ends with the process; each plugin of the process has an instance of its
// own in it (plugin_instance.hpp).
#pragma once

#include <Python.h>

namespace plugins::python {

// Starts it unless it runs, and makes mcp_plugin importable. Throws std::runtime_error. The calling thread holds the
// interpreter's lock neither before nor after. [control]
void start_interpreter();

// Holds the interpreter's lock, on any thread, for as long as it lives.
class InterpreterLock {
 public:
  InterpreterLock() : state_(PyGILState_Ensure()) {}
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;
  ~InterpreterLock() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

}  // namespace plugins::python
