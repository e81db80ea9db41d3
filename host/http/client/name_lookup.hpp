// Finds the addresses of hosts by their names. A look-up by the system cannot be cancelled, and takes long where no
// name server answers. So each has a thread of its own, for which nobody waits: not those who look for another name,
// and not the end of the program. Any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/result.hpp"

namespace mcph {

class NameLookup {
 public:
  using Addresses = Result<std::vector<boost::asio::ip::address>>;
  // Is called on threads that may outlive the look-up and who made it.
  using Resolve = std::function<Addresses(const std::string& name)>;
  // Quick, and looks up nothing.
  using Found = std::function<void(const Addresses& addresses)>;

  // Names that are looked up at once. Who asks for one of them waits with the others who do.
  static constexpr std::size_t max_names = 16;

  explicit NameLookup(Resolve resolve = by_system);
  // From then on nobody is told anything.
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  // Calls `found` once, here or on another thread; never, if this ends before. `host` is a name or an address.
  void find(const std::string& host, Found found);

  static Addresses by_system(const std::string& name);

 private:
  struct Waiting;

  const Resolve resolve_;
  const std::shared_ptr<Waiting> waiting_;
};

}  // namespace mcph
