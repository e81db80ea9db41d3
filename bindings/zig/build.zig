//! The module "mcp" for projects that are built by `zig build`:
//!
//!     const mcp = b.dependency("mcp", .{});
//!     library.root_module.addImport("mcp", mcp.module("mcp"));
const std = @import("std");

pub fn build(b: *std.Build) void {
    _ = b.addModule("mcp", .{ .root_source_file = b.path("src/mcp.zig") });
}
