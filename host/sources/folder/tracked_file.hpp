// The life of one plugin file in the components folder: in which state it lies there, and what is served of it. It is
// told what is seen, and says what is to be done; it touches no disk, reads no clock and takes no time. Belongs to the
// folder's source; the control thread. One function a thing that can happen to a file, or that somebody asks of it.
//
//   state        | entered when                                  | left for
//   -------------+-----------------------------------------------+--------------------------------------------------
//   settling     | it is seen as it has not been taken            | loading, once it has been still for long enough;
//                |                                               | what it was before, if it changes back
//   loading      | it is taken, or its load is tried again       | serving, refused or passed over, by how that ends;
//                |                                               | settling, if it turns out to be incomplete
//   serving      | a version of it was loaded and started        | quarantined, when that version gives up
//   refused      | it cannot be loaded                           | loading, if the cause may pass
//   quarantined  | its version gave up                           | loading, if the cause may pass
//   disabled     | the operator says so, in whatever state it is | settling, when he enables it
//   passed over  | it is a library that others need, no plugin   | settling, when it changes
//
// In each state but disabled it is settling as soon as it changes, and loading when the operator wants it loaded anew.
// In each state but serving a version that was good before may go on being served: nothing but a newer version, its own
// giving up, the operator and the loss of its file takes it away. A file that is missing keeps its state for as long
// as it may come back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "sources/folder/component_scan.hpp"
#include "sources/folder/plugin_loader.hpp"

namespace mcph {

// How long a file must be left alone before something is made of it.
struct FilePatience {
  std::chrono::milliseconds settle{20};   // a changed file is taken when it has been still for so long
  std::chrono::milliseconds bundle{250};  // a bundle, whose files are replaced one after another
  // One that cannot be read then is refused when it has been still for so long: a copy may be slow.
  std::chrono::milliseconds copy{1000};
  // An empty one: a linker makes it when it begins, and writes it when it ends.
  std::chrono::milliseconds empty{10'000};
  std::chrono::milliseconds removal{100};  // a missing file may be about to be replaced
  // One of which nothing has been served yet, and that has no configuration: that may be about to follow.
  std::chrono::milliseconds new_file{250};
  // One whose configuration has gone: longer than any editor leaves it away. Until then what was served with it is.
  std::chrono::milliseconds configuration{2000};
  // A file that was refused for a cause outside of it is tried again, after a time that doubles from one to the other.
  std::chrono::milliseconds first_retry{1000};
  std::chrono::milliseconds last_retry{30'000};
};

class TrackedFile {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class State { settling, loading, serving, refused, quarantined, disabled, passed_over };

  // The patience outlives it.
  explicit TrackedFile(const FilePatience& patience) : patience_(&patience) {}

  State state() const;

  // What a look means for it.
  struct Sighting {
    bool take = false;   // now
    bool gone = false;   // for good
    bool waits = false;  // for a moment, and others may wait with it
  };
  // It lies there so. At the start everything is taken as it lies there, without waiting.
  Sighting see(const PluginFile& file, bool at_start, Time now);
  // It does not.
  Sighting miss(Time now);

  // When there may be more to do; nothing if only something that is seen or told changes that.
  std::optional<Time> due() const;

  // It is being loaded in this state. The attempt tells this load from all others.
  void begin_load(const PluginFile& file, std::uint64_t attempt);
  // False: something newer has come, or the operator wants nothing of it; nothing of that load counts.
  bool is_loading(std::uint64_t attempt) const { return loading_ && loading_->attempt == attempt; }
  // The attempt, if it is being loaded in this state.
  std::optional<std::uint64_t> loading(const PluginFile& file) const;
  // What is loaded, served from now on. Returns the version before, if any.
  ServedPlugin end_load(ServedPlugin loaded);
  enum class Failure { incomplete, known, news };
  // `incomplete`: it may be half a copy, and has more time. `known`: it was refused for that before.
  Failure fail_load(const Error& error, Time now);
  // It is no plugin, and was not meant as one. False: that was known.
  bool pass_over();
  // It lies there otherwise now, which the next look sees.
  bool has_changed_since_load(const PluginFile& now) const { return loading_ && loading_->file != now; }
  void abandon_load() { loading_.reset(); }

  // The version of that attempt can serve no more. The version, if it is still served.
  ServedPlugin give_up(std::uint64_t attempt, const Error& why, Time now);
  // By the operator: nothing of it is taken. Returns the version that was served, if any.
  ServedPlugin disable();
  // False: it was not disabled.
  bool enable();
  bool is_disabled() const { return disabled_; }
  // By the operator: what is called so is not on the lists, of whatever version. False: that was so before.
  bool disable_component(const std::string& name);
  using ComponentNames = std::set<std::string, std::less<>>;
  void disable_components(ComponentNames names);
  bool enable_component(const std::string& name);
  const ComponentNames& disabled_components() const { return disabled_components_; }
  bool is_quarantined() const { return quarantined_; }
  // He wants it to be loaded anew, as it lies there.
  void forget_taken() { taken_.reset(); }

  // What is served of it; without a plugin if nothing is.
  const ServedPlugin& served() const { return served_; }
  // The same without what the operator has disabled.
  const ServedPlugin& listed() const { return listed_; }
  // The version of that attempt.
  bool serves(std::uint64_t attempt) const { return served_.plugin != nullptr && attempt_ == attempt; }
  // Its components have changed.
  void describe_anew(std::shared_ptr<const Components> components);
  // Why it is not served as it lies there; empty if it is, or if that is not known yet.
  const std::string& refusal() const { return refusal_; }
  // The version that was served last, of one of which none is.
  const std::optional<PluginIdentity>& withdrawn() const { return withdrawn_; }
  // What it had on the lists.
  const std::shared_ptr<const Components>& withdrawn_components() const { return withdrawn_components_; }
  const PluginStatus& status_at_withdrawal() const { return status_at_withdrawal_; }
  const std::optional<PluginFile>& taken() const { return taken_; }

  // Nothing of it has been served, it has no configuration, and that may be about to follow.
  bool awaits_configuration(const PluginFile& file, Time now) const;
  // Its configuration was there, and it has not been taken without one since.
  bool has_lost_configuration(const PluginFile& file) const;

  std::string description;           // that a change of its components came with last
  Time describe_at;                  // not before, if its components change again
  std::vector<std::string> remarks;  // on the version that was loaded last

 private:
  struct Load {
    PluginFile file;
    std::uint64_t attempt;
  };

  bool may_be_given_configuration(const PluginFile& file) const;
  std::chrono::milliseconds stillness(const PluginFile& file) const;
  ServedPlugin withdraw();
  void take(const PluginFile& file);
  void list();

  const FilePatience* patience_;
  std::optional<PluginFile> taken_;  // the state that was last loaded or refused
  ServedPlugin served_;
  ServedPlugin listed_;
  std::uint64_t attempt_ = 0;  // from which the version served came
  std::string refusal_;        // of the state taken
  bool quarantined_ = false;
  bool configured_ = false;  // there has been a configuration, and it was not taken without one since
  bool disabled_ = false;
  ComponentNames disabled_components_;
  std::optional<PluginIdentity> withdrawn_;
  std::shared_ptr<const Components> withdrawn_components_;
  PluginStatus status_at_withdrawal_ = {};
  std::chrono::milliseconds retry_delay_{0};
  std::optional<Time> retry_at_;  // of the state taken, if its refusal may pass
  std::optional<PluginFile> changing_;
  Time changed_at_;
  bool incomplete_ = false;  // the changing file, when it was loaded
  std::optional<Load> loading_;
  std::optional<Time> missing_since_;
};

}  // namespace mcph
