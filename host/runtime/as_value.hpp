// How the coroutines here wait: co_await gives the error as a value beside the result, because most errors of I/O are
// expected.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mcph {

inline constexpr auto as_value = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace mcph
