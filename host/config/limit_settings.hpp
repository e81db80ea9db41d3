// What the configuration says of limits.
#pragma once

#include "config/form.hpp"
#include "limits/settings.hpp"

namespace mcph {

Form<LimitSettings> limits_form();

}  // namespace mcph
