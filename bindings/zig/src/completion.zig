//! What is offered while somebody fills in an argument of a prompt or a variable of a template: of an enum its names, and
//! of another field what a declaration `completions` of the handler's struct says, a list of texts or a function:
//!
//!     const Journey = struct {
//!         country: []const u8,
//!         place: []const u8,
//!
//!         pub const completions = .{ .country = .{ "France", "Italy" }, .place = placesLike };
//!     };
//!
//! Of a list what begins with what is typed so far is offered, whatever the case of its letters. A function returns
//! []const []const u8, the best first, or an error. Its parameters may be, in any order and each or none of them:
//! []const u8, what is typed so far; a struct, whose fields are others of the arguments, with what they are until they
//! are chosen as their defaults; *Context; and a pointer to the plugin's State.
const std = @import("std");
const component = @import("component.zig");
const content = @import("content.zig");
const texts = @import("texts.zig");
const Context = @import("context.zig").Context;

/// Refuses to compile where `completions` is about a field that the struct does not have.
pub fn check(comptime Arguments: type) void {
    if (!@hasDecl(Arguments, "completions")) return;
    for (@typeInfo(@TypeOf(Arguments.completions)).@"struct".field_names) |name| {
        if (!@hasField(Arguments, name))
            @compileError(@typeName(Arguments) ++ ".completions." ++ name ++ ": there is no field " ++ name);
    }
}

/// Whether anything of it can be completed.
pub fn isThere(comptime Arguments: type) bool {
    const info = @typeInfo(Arguments).@"struct";
    for (info.field_names, info.field_types) |name, Field| {
        if (isSaid(Arguments, name) or isEnum(Field)) return true;
    }
    return false;
}

/// What completion/complete asks for; `chosen` is an object of texts.
pub const Asked = struct { name: []const u8, typed: []const u8, chosen: std.json.Value };

/// The result of completion/complete.
pub fn answer(comptime Arguments: type, context: *Context, state: anytype, asked: Asked) ![]const u8 {
    const info = @typeInfo(Arguments).@"struct";
    inline for (info.field_names, info.field_types) |name, Field| {
        if (comptime isSaid(Arguments, name) or isEnum(Field)) {
            if (std.mem.eql(u8, name, asked.name)) {
                const values = try valuesOf(Arguments, name, Field, context, state, asked);
                return content.completionResult(context.allocator, values);
            }
        }
    }
    return content.completionResult(context.allocator, &.{});
}

fn isSaid(comptime Arguments: type, comptime name: []const u8) bool {
    return @hasDecl(Arguments, "completions") and @hasField(@TypeOf(Arguments.completions), name);
}

fn isEnum(comptime Field: type) bool {
    return switch (@typeInfo(Field)) {
        .@"enum" => true,
        .optional => |optional| isEnum(optional.child),
        else => false,
    };
}

fn valuesOf(
    comptime Arguments: type,
    comptime name: []const u8,
    comptime Field: type,
    context: *Context,
    state: anytype,
    asked: Asked,
) ![]const []const u8 {
    if (!comptime isSaid(Arguments, name)) return matching(context, comptime namesOf(Field), asked.typed);
    const said = @field(Arguments.completions, name);
    if (@typeInfo(@TypeOf(said)) == .@"fn") return call(said, context, state, asked);
    return matching(context, comptime listOf(said), asked.typed);
}

fn namesOf(comptime Field: type) []const []const u8 {
    return switch (@typeInfo(Field)) {
        .@"enum" => |info| info.field_names,
        else => namesOf(@typeInfo(Field).optional.child),
    };
}

fn listOf(comptime said: anytype) []const []const u8 {
    comptime {
        if (@typeInfo(@TypeOf(said)) == .pointer and @typeInfo(@TypeOf(said)).pointer.size == .one) return listOf(said.*);
        var all: []const []const u8 = &.{};
        for (0..said.len) |i| all = all ++ .{@as([]const u8, said[i])};
        return all;
    }
}

fn matching(context: *Context, values: []const []const u8, typed: []const u8) ![]const []const u8 {
    var found: std.ArrayList([]const u8) = .empty;
    for (values) |value| {
        if (std.ascii.startsWithIgnoreCase(value, typed)) try found.append(context.allocator, value);
    }
    return found.items;
}

fn call(comptime function: anytype, context: *Context, state: anytype, asked: Asked) anyerror![]const []const u8 {
    if (component.ValueOf(function) != []const []const u8)
        @compileError("a completion returns []const []const u8, not " ++ @typeName(component.ValueOf(function)));
    var parameters: std.meta.ArgsTuple(@TypeOf(function)) = undefined;
    inline for (@typeInfo(@TypeOf(function)).@"fn".param_types, 0..) |Parameter, i| {
        parameters[i] = switch (Parameter.?) {
            *Context => context,
            @TypeOf(state) => state,
            []const u8 => asked.typed,
            else => |Other| try chosenAs(Other, context, asked.chosen),
        };
    }
    return @call(.never_inline, function, parameters); // as handlers are
}

fn chosenAs(comptime T: type, context: *Context, chosen: std.json.Value) !T {
    comptime {
        if (@typeInfo(T) != .@"struct")
            @compileError("a completion takes []const u8, a struct of what is chosen already, *mcp.Context and a pointer " ++
                "to the plugin's .State, not " ++ @typeName(T));
        texts.check(T);
        const info = @typeInfo(T).@"struct";
        for (info.field_names, info.field_attrs) |name, attributes| {
            if (attributes.default_value_ptr == null)
                @compileError(@typeName(T) ++ "." ++ name ++ ": give it a default, because it may not be chosen yet");
        }
    }
    return texts.read(T, context, chosen);
}
