#include "plugin/isolated/crash_telling.hpp"

#include <memory>
#include <utility>

#include "base/regular_file.hpp"

namespace mcph {

void CrashTelling::once_readable(std::vector<StackTrace> traces, Tell tell) {
  if (traces.empty()) return in_turn([tell = std::move(tell)] { tell({}); });
  run_in_turn([this, traces = std::move(traces), tell = std::move(tell)] {
    const TracedLibrary library{library_.path().string(), name_};
    tell(readable(traces, library, find(places_in(traces, library))));
  });
}

void CrashTelling::in_turn(std::function<void()> tell) {
  is_idle() ? tell() : run_in_turn(std::move(tell));
}

void CrashTelling::wait() {
  MutexLock lock(mutex_);
  while (untold_ != 0)
    told_.wait(lock);
}

bool CrashTelling::is_idle() {
  const MutexLock lock(mutex_);
  return untold_ == 0;
}

void CrashTelling::run_in_turn(std::function<void()> task) {
  // However the task ends.
  struct Turn {
    explicit Turn(CrashTelling& told) : telling(told) {
      const MutexLock lock(telling.mutex_);
      ++telling.untold_;
    }
    ~Turn() {
      const MutexLock lock(telling.mutex_);
      --telling.untold_;
      telling.told_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    CrashTelling& telling;
  };
  thread_.after({}, [turn = std::make_shared<const Turn>(*this), task = std::move(task)] { task(); });
}

Symbols CrashTelling::find(const std::vector<std::string>& places) {
  if (places.empty() || gave_up_ || !symbolizer_.is_there()) return {};
  const auto library = open_to_read(library_.path());
  if (!library) return {};
  auto symbols = symbolizer_.find(library, places);
  if (symbols.has_value()) return *std::move(symbols);
  gave_up_ = !symbols.error().may_pass();
  log_.warning("lines of source not found", {{"file", name_},
                                             {"reason", symbols.error().message},
                                             {"consequence", "its crashes are told with offsets into the file"}});
  return {};
}

}  // namespace mcph
