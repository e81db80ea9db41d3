#include "python/interpreter.hpp"

#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <pybind11/pybind11.h>
#include <stdexcept>
#include <string>
#include <sys/file.h>

#include "python/package.hpp"
#include "shared/descriptor.hpp"

namespace plugins::python {
namespace {

namespace py = pybind11;

// Plugins are loaded so that nobody else sees the symbols of what they need. Extension modules of Python expect those
// of its library to be seen by all.
void show_symbols_of_python() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&Py_InitializeFromConfig), &library) == 0) return;
  // Never closed: the interpreter stays.
  ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

// Held by one thread of the process: plugins that share one are loaded at the same time, and each has a copy of this
// library, which shares no mutex with the others. In a sandbox /proc cannot be opened, but there a plugin is alone.
class StartLock {
 public:
  StartLock() : process_(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (process_.is_open()) ::flock(process_.get(), LOCK_EX);
  }

 private:
  Descriptor process_;  // which lets go of the lock when it is closed
};

void require(const PyStatus& status) {
  if (PyStatus_Exception(status) != 0) {
    throw std::runtime_error(std::string("Python could not be started: ") +
                             (status.err_msg == nullptr ? "it does not say why" : status.err_msg));
  }
}

// Alone: neither the environment nor the user's own packages have a say in what is served.
void configure(PyConfig& config) {
  config.write_bytecode = 0;  // the folder of the files is its author's
  // The packages are added later, when the configuration has said which; sitecustomize and usercustomize are never run,
  // the .pth files of the folders that are added are.
  config.site_import = 0;
  require(PyConfig_SetBytesString(&config, &config.program_name, PYTHON_PROGRAM));
  require(Py_InitializeFromConfig(&config));
}

void initialize() {
  PyPreConfig before;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;  // whatever the language of the environment
  require(Py_PreInitialize(&before));
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  try {
    configure(config);
  } catch (...) {
    PyConfig_Clear(&config);
    throw;
  }
  PyConfig_Clear(&config);
}

void embed_package() {
  py::dict sources;
  for (const auto& source : package_sources())
    sources[source.module] = py::str(source.text.data(), source.text.size());
  const py::dict scope;
  scope["__builtins__"] = py::module_::import("builtins");
  scope["sources"] = sources;
  const auto source = embedded_source();
  const auto code =
      py::reinterpret_steal<py::object>(Py_CompileString(std::string(source).c_str(), "<embedded>", Py_file_input));
  if (!code) throw py::error_already_set();
  const auto result = py::reinterpret_steal<py::object>(PyEval_EvalCode(code.ptr(), scope.ptr(), scope.ptr()));
  if (!result) throw py::error_already_set();
  // Where a crash was in Python is printed before the host's own report of it, which has the last lines that were
  // printed.
  const auto faulthandler = py::module_::import("faulthandler");
  faulthandler.attr("enable")(py::arg("all_threads") = false);
  // Likewise of a thread that does not come back. By this signal its worker asks it where it is, and hears it, too.
  faulthandler.attr("register")(SIGQUIT, py::arg("all_threads") = false, py::arg("chain") = true);
}

}  // namespace

void start_interpreter() {
  const StartLock lock;
  if (Py_IsInitialized() != 0) return;
  show_symbols_of_python();
  initialize();
  std::string mistake;
  try {
    embed_package();
  } catch (const py::error_already_set& error) {
    mistake = error.what();
  }
  PyEval_SaveThread();
  if (!mistake.empty()) throw std::runtime_error("mcp_plugin could not be loaded: " + mistake);
}

}  // namespace plugins::python
