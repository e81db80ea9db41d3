// What glibc says, and what becomes of it. That it says so is tested with libraries (plugin_library_test.cpp).
#include "plugin/library/linker_refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::StartsWith;

constexpr auto private_path = "/tmp/mcp-plugins-7/clock.1.0123456789ab.so";

// As Boost.DLL throws it.
Error error_in(const std::string& words) {
  return linker_refusal("boost::dll::shared_library::load() failed (dlerror system message: " + words +
                            "): Bad file descriptor [system:9]",
                        private_path);
}

TEST(LinkerRefusalTest, LeavesOutThePathOfThePrivateCopy) {
  EXPECT_EQ(error_in(std::string(private_path) + ": cannot allocate memory in static TLS block").message,
            "the dynamic linker refused it: cannot allocate memory in static TLS block");
  EXPECT_EQ(error_in(std::string("/lib/libm.so.6: something of ") + private_path + " is wrong").message,
            "the dynamic linker refused it: /lib/libm.so.6: something of it is wrong");
}

TEST(LinkerRefusalTest, SaysWhichVersionOfTheCLibraryIsMissing) {
  EXPECT_THAT(error_in("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by " +
                       std::string(private_path) + ")")
                  .message,
              StartsWith("it needs GLIBC_2.99 of libc.so.6, which this system does not have"));
}

TEST(LinkerRefusalTest, SaysWhichLibraryNeedsAVersionThatIsMissing) {
  const auto refusal = error_in("/opt/libold.so.1: version `OLD_2' not found (required by /opt/libuser.so)");
  EXPECT_EQ(refusal.message,
            "the library libuser.so, which it uses, needs OLD_2 of libold.so.1, which this system does not have: "
            "install a newer libold.so.1, or build it on this or an older system");
  EXPECT_TRUE(refusal.may_pass()) << "somebody may install it";
}

TEST(LinkerRefusalTest, SaysWhichLibraryIsMissing) {
  const auto refusal = error_in("libabsent.so.1: cannot open shared object file: No such file or directory");
  EXPECT_EQ(refusal.message,
            "it needs the library libabsent.so.1, which the system does not find; install it, or put it beside the "
            "plugin into a bundle, the folder NAME.plugin (add_mcp_plugin(... LIBRARIES ...))");
  EXPECT_TRUE(refusal.may_pass());
}

TEST(LinkerRefusalTest, WritesAnUndefinedSymbolAsItsSourceHasIt) {
  const auto undefined = [](const std::string& symbol) {
    return error_in(std::string(private_path) + ": undefined symbol: " + symbol).message;
  };
  const std::string begin = "the dynamic linker refused it: undefined symbol: ";
  EXPECT_EQ(undefined("_Z7nowherei"), begin + "nowhere(int); link what defines it");
  EXPECT_EQ(undefined("_ZTIN4shop5OrderE"), begin + "typeinfo for shop::Order; link what defines it");
  EXPECT_EQ(undefined("_Z7nowherei, version SHOP_2"), begin + "nowhere(int), version SHOP_2; link what defines it");
  EXPECT_EQ(undefined("i"), begin + "i; link what defines it");
  EXPECT_EQ(undefined("_Zx"), begin + "_Zx; link what defines it");
}

TEST(LinkerRefusalTest, SaysHowThePluginApiIsLinked) {
  const auto undefined = [](const std::string& symbol) {
    return error_in(std::string(private_path) + ": undefined symbol: " + symbol).message;
  };
  const std::string begin = "the dynamic linker refused it: undefined symbol: ";
  const std::string advice = "; use add_mcp_plugin() or link libmcp_plugin.a";
  EXPECT_EQ(undefined("_ZN3mcp6detail17describe_instanceEPvPK8mcp_sinkS4_"),
            begin + "mcp::detail::describe_instance(void*, mcp_sink const*, mcp_sink const*)" + advice);
  EXPECT_EQ(undefined("_ZTIN3mcp8NotFoundE"), begin + "typeinfo for mcp::NotFound" + advice);
  EXPECT_EQ(undefined("_Z5setupRN3mcp6PluginE"), begin + "setup(mcp::Plugin&); link what defines it");
  EXPECT_EQ(undefined("_ZN3mcp8JsonFormI5MoneyE2toERKS1_"),
            begin + "mcp::JsonForm<Money>::to(Money const&); link what defines it");
}

TEST(LinkerRefusalTest, PassesOnWhatItDoesNotKnow) {
  EXPECT_EQ(linker_refusal("out of luck", private_path).message, "the dynamic linker refused it: out of luck");
}

}  // namespace
}  // namespace mcph
