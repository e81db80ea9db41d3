//! For the tests of a plugin's handlers: a context of a call that nobody has made.
const std = @import("std");
const abi = @import("abi.zig");
const Context = @import("context.zig").Context;

/// Of a client that is told nothing and cancels nothing, and without a configuration. Give it the allocator of an arena:
/// what a handler makes is not freed one by one.
pub fn context(allocator: std.mem.Allocator) Context {
    return .{ .allocator = allocator, .host = .{ .raw = &host }, .call = 1 };
}

const host: abi.Host = .{
    .size = @sizeOf(abi.Host),
    .reserved = 0,
    .context = null,
    .complete = complete,
    .progress = progress,
    .log = log,
    .is_cancelled = isCancelled,
    .call_context = callContext,
    .configuration = configuration,
    .data_directory = nothing,
    .components_changed = componentsChanged,
    .resource_updated = resourceUpdated,
    .get_interface = getInterface,
};

fn complete(_: *const abi.Host, _: abi.CallId, _: abi.Outcome, _: abi.String) callconv(.c) void {}
fn progress(_: *const abi.Host, _: abi.CallId, _: f64, _: f64, _: abi.String) callconv(.c) void {}
fn log(_: *const abi.Host, _: abi.CallId, _: abi.LogLevel, _: abi.String) callconv(.c) void {}
fn isCancelled(_: *const abi.Host, _: abi.CallId) callconv(.c) abi.CancelReason {
    return .none;
}
fn callContext(_: *const abi.Host, _: abi.CallId, sink: *const abi.Sink) callconv(.c) void {
    sink.put("{}");
}
fn configuration(_: *const abi.Host, sink: *const abi.Sink) callconv(.c) void {
    sink.put("{}");
}
fn nothing(_: *const abi.Host, _: *const abi.Sink) callconv(.c) void {}
fn componentsChanged(_: *const abi.Host) callconv(.c) void {}
fn resourceUpdated(_: *const abi.Host, _: abi.String) callconv(.c) void {}
fn getInterface(_: *const abi.Host, _: [*:0]const u8) callconv(.c) ?*const anyopaque {
    return null;
}
