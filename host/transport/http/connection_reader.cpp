#include "transport/http/connection_reader.hpp"

#include <boost/asio/post.hpp>

namespace mcph {

void cut_off(HttpConnection& connection, Outbox::Overflow overflow) {
  connection.cut_off("stream closed", overflow == Outbox::Overflow::no_memory
                                          ? "there is no memory left for what waits until the client reads, because "
                                            "large requests and answers of others take all of it"
                                          : "the client reads too slowly");
}

void ConnectionReader::outbox_overflowed() {
  boost::asio::post(connection_->executor(), [self = shared_from_this()] {
    const auto overflow = self->streamed_ != nullptr ? self->streamed_->overflow() : Outbox::Overflow::none;
    if (overflow != Outbox::Overflow::none) cut_off(*self->connection_, overflow);
  });
}

void ConnectionReader::asked_to_leave() {
  boost::asio::post(connection_->executor(), [self = shared_from_this()] {
    // The connection may be busy with another request by now.
    if (self->has_left_) return;
    self->connection_->abort();
    self->connection_->wake();
  });
}

}  // namespace mcph
