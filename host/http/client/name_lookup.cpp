#include "http/client/name_lookup.hpp"

#include <cstring>
#include <exception>
#include <map>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include <boost/asio/ip/tcp.hpp>

#include "base/mutex.hpp"

namespace mcph {

namespace asio = boost::asio;

// All that a thread has of the look-up.
struct NameLookup::Waiting {
  Mutex mutex;
  std::map<std::string, std::vector<Found>> by_name GUARDED_BY(mutex);

  // Under the mutex, so that nobody is told after the end.
  void tell(const std::string& name, const Addresses& addresses) {
    const MutexLock lock(mutex);
    const auto asked = by_name.extract(name);
    if (asked.empty()) return;
    for (const auto& found : asked.mapped())
      found(addresses);
  }
};

NameLookup::NameLookup(Resolve resolve) : resolve_(std::move(resolve)), waiting_(std::make_shared<Waiting>()) {}

NameLookup::~NameLookup() {
  const MutexLock lock(waiting_->mutex);
  waiting_->by_name.clear();
}

void NameLookup::find(const std::string& host, Found found) {
  boost::system::error_code no_address;
  const auto address = asio::ip::make_address(host, no_address);
  if (!no_address) return found(std::vector{address});
  bool is_first = false;
  {
    const MutexLock lock(waiting_->mutex);
    auto& names = waiting_->by_name;
    is_first = !names.contains(host);
    if (!is_first || names.size() < max_names) {
      names[host].push_back(std::move(found));
      found = nullptr;
    }
  }
  if (found) return found(fail_for_now("the names of other hosts are still being looked up"));
  if (!is_first) return;
  try {
    std::thread([resolve = resolve_, waiting = waiting_, host] { waiting->tell(host, resolve(host)); }).detach();
  } catch (const std::exception&) {
    waiting_->tell(host, fail_for_now("the system gives no thread to look its name up with"));
  }
}

NameLookup::Addresses NameLookup::by_system(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int failed = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
  if (failed != 0) return fail_for_now("its name cannot be looked up: " + std::string(::gai_strerror(failed)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(first, ::freeaddrinfo);
  std::vector<asio::ip::address> addresses;
  for (const auto* each = first; each != nullptr; each = each->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (each->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
    addresses.push_back(endpoint.address());
  }
  return addresses;
}

}  // namespace mcph
