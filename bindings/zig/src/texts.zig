//! Prompts' arguments and the variables of a URI template are texts. A handler takes them as the fields of a struct.
const std = @import("std");
const schema = @import("schema.zig");
const Context = @import("context.zig").Context;

/// Refuses to compile where the struct's `schema` says more of a field than what it means: of a text nobody checks it.
pub fn check(comptime T: type) void {
    schema.checkNames(T);
    if (!@hasDecl(T, "schema")) return;
    for (@typeInfo(@TypeOf(T.schema)).@"struct".field_names) |name| {
        for (@typeInfo(@TypeOf(@field(T.schema, name))).@"struct".field_names) |keyword| {
            if (!std.mem.eql(u8, keyword, "description"))
                @compileError(@typeName(T) ++ ".schema." ++ name ++ ": " ++ keyword ++ " is for arguments of tools alone; " ++
                    "leave it out, and let the handler refuse what does not fit, by context.refuse");
        }
    }
}

/// A struct from an object of texts; one that does not fit ends the call.
pub fn read(comptime T: type, context: *Context, given: std.json.Value) !T {
    var all: T = undefined;
    const info = @typeInfo(T).@"struct";
    inline for (info.field_names, info.field_types, info.field_attrs) |name, Field, attributes| {
        const text: ?[]const u8 = if (given == .object) textOf(given.object.get(name)) else null;
        if (text) |words| {
            @field(all, name) = try readText(Field, context, name, words);
        } else if (comptime attributes.defaultValue(Field)) |default| {
            @field(all, name) = default;
        } else {
            return context.refuse(-32602, "\"{s}\" is missing", .{name});
        }
    }
    return all;
}

fn textOf(value: ?std.json.Value) ?[]const u8 {
    const given = value orelse return null;
    return if (given == .string) given.string else null;
}

fn readText(comptime T: type, context: *Context, comptime name: []const u8, words: []const u8) !T {
    return switch (@typeInfo(T)) {
        .pointer => words,
        .optional => |optional| try readText(optional.child, context, name, words),
        .int => readWhole(T, words) orelse context.refuse(
            -32602,
            "\"{s}\" must be an integer from {d} to {d}, not {s}",
            .{ name, std.math.minInt(T), std.math.maxInt(T), words },
        ),
        .float => try readNumber(T, context.allocator, words) orelse
            context.refuse(-32602, "\"{s}\" must be a number, not {s}", .{ name, words }),
        .@"enum" => std.meta.stringToEnum(T, words) orelse
            context.refuse(-32602, "\"{s}\" must be one of {s}, not {s}", .{ name, comptime namesOf(T), words }),
        else => @compileError(@typeName(T) ++ " cannot be read from a text"),
    };
}

// In one spelling, so that what a rule says of one URI is not passed by another one.
fn readWhole(comptime T: type, words: []const u8) ?T {
    const value = std.fmt.parseInt(T, words, 10) catch return null;
    var digits: [@bitSizeOf(T) + 2]u8 = undefined;
    const spelling = std.fmt.bufPrint(&digits, "{d}", .{value}) catch return null;
    return if (std.mem.eql(u8, spelling, words)) value else null;
}

// As JSON writes it: the parser takes NaN, inf, 0x1p4 and 1_000, too.
fn readNumber(comptime T: type, allocator: std.mem.Allocator, words: []const u8) !?T {
    if (!try std.json.validate(allocator, words)) return null;
    const value = std.fmt.parseFloat(T, words) catch return null;
    return if (std.math.isFinite(value)) value else null;
}

fn namesOf(comptime T: type) []const u8 {
    comptime {
        var all: []const u8 = "";
        for (@typeInfo(T).@"enum".field_names) |name| all = all ++ (if (all.len == 0) "" else ", ") ++ name;
        return all;
    }
}
