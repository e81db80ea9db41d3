// URIs of resources: what RFC 3986 lets a URI consist of, and when two are the same. Plugins and clients may write what
// it forbids, "notes://über uns", and clients' libraries encode that on its way. So the host encodes what plugins say,
// and compares in one form. Free functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// RFC 3986 section 2.1. Nothing if a "%" is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view encoded);

// `text` with all percent-encoded that a URI can have nowhere: bytes that are not ASCII, control characters, spaces and
// "<>\^`{|}, and a "%" that is not followed by two hexadecimal digits. Nothing if there is none, as in every URI.
std::optional<std::string> encoded_uri(std::string_view text);

// The same URI in one form (RFC 3986 section 6.2.2): what a URI cannot have is percent-encoded, percent-encoded
// unreserved characters are decoded, and hexadecimal digits are capital letters. Broken percent-encoding is left alone.
std::string normalized_uri(std::string_view uri);

// The same without a copy where the URI is in that form and has no "%": `uri` itself, otherwise `storage`.
std::string_view normalized_uri(std::string_view uri, std::string& storage);

// A URL of HTTP or WebSocket with its scheme and host in lower case, and without the port that its scheme has anyway
// (RFC 9110 section 4.2.3), unless the host has the "*" of a pattern; any other text as it is.
std::string with_canonical_origin(const std::string& url);

// Whether it is a URL in that form that has one origin, whoever reads it: with "//", a host without a dot at its end,
// nothing percent-encoded in it, addresses as RFC 5952 has them, and without a user, an empty port and zeros before a
// port. True of URIs of other schemes.
bool has_canonical_origin(std::string_view uri);

// A scheme (RFC 3986 section 3.1), ":", and something after it; no control characters anywhere. What can be encoded
// may be there.
bool is_absolute_uri(std::string_view text);

}  // namespace mcph
