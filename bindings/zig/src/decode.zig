//! Types from JSON values that the host has checked against the schemas of these types.
const std = @import("std");

/// Beyond it a float may stand for another integer than the one that was written.
const max_whole: f64 = 1 << 53;

/// As std.json.parseFromValueLeaky, but that 3.0 is an integer, as JSON Schema has it, and a float beyond 2^53 is none: the
/// parser panics on one that is just outside of 64 bits. What a float's type cannot hold is refused, of which the parser
/// makes infinity. Changes what `value` contains.
pub fn fromValue(
    comptime T: type,
    allocator: std.mem.Allocator,
    value: std.json.Value,
    options: std.json.ParseOptions,
) std.json.ParseFromValueError!T {
    var plain = value;
    try fitNumbers(T, &plain);
    return std.json.parseFromValueLeaky(T, allocator, plain, options);
}

/// In words why `value`, which is `what`, is no T: with the member, where it is one. Changes what `value` contains.
pub fn explained(
    comptime T: type,
    allocator: std.mem.Allocator,
    comptime what: []const u8,
    value: std.json.Value,
    err: anyerror,
) error{OutOfMemory}![]const u8 {
    if (comptime @typeInfo(T) == .@"struct" and !@hasDecl(T, "jsonParse")) {
        const info = @typeInfo(T).@"struct";
        inline for (info.field_names, info.field_types, info.field_attrs) |name, Field, attributes| {
            const member = if (value == .object) value.object.get(name) else null;
            if (member) |given| {
                _ = fromValue(Field, allocator, given, .{ .ignore_unknown_fields = true }) catch |why|
                    return std.fmt.allocPrint(allocator, "\"{s}\" in {s} does not fit: {t}", .{ name, what, why });
            } else if (attributes.default_value_ptr == null and value == .object) {
                return "\"" ++ name ++ "\" is missing in " ++ what;
            }
        }
    }
    return std.fmt.allocPrint(allocator, "{s}: {t}", .{ what, err });
}

fn fitNumbers(comptime T: type, value: *std.json.Value) error{ InvalidNumber, Overflow }!void {
    if (T == std.json.Value) return;
    switch (@typeInfo(T)) {
        .int => if (value.* == .float) {
            const float = value.float;
            if (@trunc(float) != float or @abs(float) > max_whole) return error.InvalidNumber;
            value.* = .{ .integer = @intFromFloat(float) };
        },
        .float => {
            const number: T = switch (value.*) {
                .float => |float| @floatCast(float),
                .integer => |integer| @floatFromInt(integer),
                .number_string => |digits| std.fmt.parseFloat(T, digits) catch return error.InvalidNumber,
                else => return,
            };
            if (!std.math.isFinite(number)) return error.Overflow;
        },
        .optional => |optional| try fitNumbers(optional.child, value),
        inline .array, .pointer => |list| if (value.* == .array) {
            for (value.array.items) |*item| try fitNumbers(list.child, item);
        },
        .@"struct" => |info| if (value.* == .object) {
            inline for (info.field_names, info.field_types) |name, Field| {
                if (value.object.getPtr(name)) |member| try fitNumbers(Field, member);
            }
        },
        else => {},
    }
}
