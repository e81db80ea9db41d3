// A TCP server of this process that does what a test says, byte by byte: faults that no real server has on demand. Each
// connection is served on a thread of its own.
#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mcph::test {

class ScriptedServer {
 public:
  class Connection {
   public:
    Connection(int socket, int number) : number_(socket), count_(number) {}

    // How many were accepted before it.
    int count() const { return count_; }
    // What has come, once it ends with `end`; less at the end of the connection. Only what has come since the last
    // call.
    std::string hear(std::string_view end) {
      std::string heard;
      char byte = 0;
      while (!heard.ends_with(end) && ::recv(number_, &byte, 1, 0) == 1)
        heard += byte;
      return heard;
    }
    std::string hear_bytes(std::size_t count) {
      std::string heard(count, '\0');
      std::size_t size = 0;
      while (size < count) {
        const auto more = ::recv(number_, heard.data() + size, count - size, 0);
        if (more <= 0) break;
        size += static_cast<std::size_t>(more);
      }
      return heard.substr(0, size);
    }
    // A request without a body, or with one of so many bytes; empty: none came any more.
    std::string hear_request(std::size_t body = 0) {
      auto request = hear("\r\n\r\n");
      if (!request.empty()) request += hear_bytes(body);
      return request;
    }
    // False: nobody reads it any more.
    bool say(std::string_view text) {
      while (!text.empty()) {
        const auto count = ::send(number_, text.data(), text.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
      }
      return true;
    }
    void answer(const std::string& body) {
      say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }

   private:
    const int number_;
    const int count_;
  };
  using Script = std::function<void(Connection&)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_, 64);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }
  // Ends the connections.
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : sockets_)
        ::shutdown(socket, SHUT_RDWR);
    }
    for (auto& thread : threads_)
      thread.join();
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  // All that were accepted have been closed.
  bool has_closed_all() const {
    const std::lock_guard lock(mutex_);
    return sockets_.empty();
  }
  int connections() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  void accept() {
    for (;;) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket, number = count_++] {
        Connection connection(socket, number);
        script_(connection);
        const std::lock_guard ending(mutex_);
        sockets_.remove(socket);
        ::close(socket);
      });
    }
  }

  const Script script_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  std::list<int> sockets_;
  std::vector<std::thread> threads_;
  int count_ = 0;
};

}  // namespace mcph::test
