// placeholder
#pragma once
namespace mcph {
class UnloadProbe {};
}  // namespace mcph
