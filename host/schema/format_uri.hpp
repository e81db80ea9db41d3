// The formats of identifiers: URIs (RFC 3986), IRIs (RFC 3987) and URI templates (RFC 6570). Plain functions without
// state.
#pragma once

#include <string>

namespace mcph::schema {

bool is_uri(const std::string& text);
bool is_uri_reference(const std::string& text);
bool is_iri(const std::string& text);
bool is_iri_reference(const std::string& text);
bool is_uri_template(const std::string& text);

}  // namespace mcph::schema
