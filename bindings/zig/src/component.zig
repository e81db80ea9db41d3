//! Tools, resources, resource templates and prompts: what they are described by, and how their handlers are called.
//!
//! A handler is a function. Its parameters may be, in any order and each or none of them: a struct, whose fields are the
//! arguments; *Context; and a pointer to the plugin's State. It returns what content.zig says, or an error.
const std = @import("std");
const completion = @import("completion.zig");
const content = @import("content.zig");
const decode = @import("decode.zig");
const json = @import("json.zig");
const schema = @import("schema.zig");
const texts = @import("texts.zig");
const Context = @import("context.zig").Context;

/// Hints for clients on what a tool does; null is not said.
pub const Annotations = struct {
    title: ?[]const u8 = null,
    readOnlyHint: ?bool = null,
    destructiveHint: ?bool = null,
    idempotentHint: ?bool = null,
    openWorldHint: ?bool = null,
};

pub const ToolOptions = struct {
    title: []const u8 = "",
    annotations: Annotations = .{},
    /// A call that takes longer is cancelled; 1 to `max_timeout_ms`. null: when the operator says.
    timeout_ms: ?u64 = null,
    /// Words by which operators choose among tools: 1 to 128 characters of A-Za-z0-9_.- each.
    tags: []const []const u8 = &.{},
};

/// 365 days.
pub const max_timeout_ms = 365 * std.time.ms_per_day;

pub const ResourceOptions = struct {
    title: []const u8 = "",
    description: []const u8 = "",
    mime_type: []const u8 = "text/plain",
    tags: []const []const u8 = &.{},
};

pub const PromptOptions = struct {
    title: []const u8 = "",
    tags: []const []const u8 = &.{},
};

pub fn tool(
    comptime tool_name: []const u8,
    comptime words: []const u8,
    comptime function: anytype,
    comptime options: ToolOptions,
) type {
    return struct {
        pub const name = tool_name;
        pub const handler = function;
        pub const description = listed: {
            var object = described(name, words, options.title);
            object.set("inputSchema", schema.of(ArgumentsOf(function), .input));
            if (content.outputSchema(ValueOf(function))) |output| object.set("outputSchema", output);
            const annotations = json.value(options.annotations);
            if (annotations.len > "{}".len) object.set("annotations", annotations);
            if (options.timeout_ms) |time| object.set("execution", describedTimeout(name, time));
            setTags(&object, name, options.tags);
            break :listed object.text();
        };

        pub fn answer(context: *Context, state: anytype, given: std.json.Value) ![]const u8 {
            const allocator = context.allocator;
            const Arguments = ArgumentsOf(function);
            const arguments = decode.fromValue(Arguments, allocator, given, .{}) catch |err|
                return context.fail("{s}", .{try decode.explained(Arguments, allocator, "the arguments", given, err)});
            const value = try call(function, context, state, arguments);
            return content.toolResult(allocator, ValueOf(function), value) catch |err| switch (err) {
                error.NotFinite => return context.refuse(
                    -32603,
                    "the result has a float that is infinite or not a number, which JSON cannot say",
                    .{},
                ),
                error.OutOfMemory => return err,
            };
        }
    };
}

pub fn resource(
    comptime resource_uri: []const u8,
    comptime resource_name: []const u8,
    comptime function: anytype,
    comptime options: ResourceOptions,
) type {
    if (std.mem.findAny(u8, resource_uri, "*{") != null)
        @compileError(resource_uri ++ ": a URI with * or {} stands for many resources: use mcp.resourceTemplate");
    return struct {
        pub const uri = resource_uri;
        pub const handler = function;
        pub const description = describedResource("uri", uri, resource_name, options);

        pub fn answer(context: *Context, state: anytype) ![]const u8 {
            const value = try call(function, context, state, {});
            return content.resourceResult(context.allocator, uri, options.mime_type, ValueOf(function), value);
        }
    };
}

/// The fields of the handler's struct are the variables of the template: texts, numbers, enums. What `*` stands for is the
/// field @"*".
pub fn resourceTemplate(
    comptime template: []const u8,
    comptime template_name: []const u8,
    comptime function: anytype,
    comptime options: ResourceOptions,
) type {
    for (@typeInfo(ArgumentsOf(function)).@"struct".field_names) |variable| {
        if (!hasVariable(template, variable))
            @compileError("the template " ++ template ++ " has no variable " ++ variable);
    }
    texts.check(ArgumentsOf(function));
    completion.check(ArgumentsOf(function));
    return struct {
        pub const uri_template = template;
        pub const handler = function;
        pub const description = describedResource("uriTemplate", template, template_name, options);

        pub const completes = completion.isThere(ArgumentsOf(function));

        pub fn answer(context: *Context, state: anytype, uri: []const u8, variables: std.json.Value) ![]const u8 {
            const value = try call(function, context, state, try texts.read(ArgumentsOf(function), context, variables));
            return content.resourceResult(context.allocator, uri, options.mime_type, ValueOf(function), value);
        }

        pub fn complete(context: *Context, state: anytype, asked: completion.Asked) ![]const u8 {
            return completion.answer(ArgumentsOf(function), context, state, asked);
        }
    };
}

// As in {n}, {a,b} and {+path}; outside of braces, `*` is one of that name.
fn hasVariable(comptime template: []const u8, comptime name: []const u8) bool {
    const is_wildcard = std.mem.eql(u8, name, "*");
    var pieces = std.mem.splitScalar(u8, template, '{');
    if (std.mem.findScalar(u8, pieces.first(), '*') != null and is_wildcard) return true;
    while (pieces.next()) |piece| {
        const end = std.mem.findScalar(u8, piece, '}') orelse piece.len;
        if (std.mem.findScalar(u8, piece[end..], '*') != null and is_wildcard) return true;
        var variables = std.mem.tokenizeAny(u8, piece[0..end], "+#./;?&,*:");
        while (variables.next()) |variable| if (std.mem.eql(u8, variable, name)) return true;
    }
    return false;
}

/// The fields of the handler's struct are the prompt's arguments: texts, numbers, enums.
pub fn prompt(
    comptime prompt_name: []const u8,
    comptime words: []const u8,
    comptime function: anytype,
    comptime options: PromptOptions,
) type {
    texts.check(ArgumentsOf(function));
    completion.check(ArgumentsOf(function));
    return struct {
        pub const name = prompt_name;
        pub const handler = function;
        pub const description = listed: {
            var object = described(name, words, options.title);
            object.set("arguments", describedArguments(ArgumentsOf(function)));
            setTags(&object, name, options.tags);
            break :listed object.text();
        };

        pub const completes = completion.isThere(ArgumentsOf(function));

        pub fn answer(context: *Context, state: anytype, given: std.json.Value) ![]const u8 {
            const value = try call(function, context, state, try texts.read(ArgumentsOf(function), context, given));
            return content.promptResult(context.allocator, ValueOf(function), value);
        }

        pub fn complete(context: *Context, state: anytype, asked: completion.Asked) ![]const u8 {
            return completion.answer(ArgumentsOf(function), context, state, asked);
        }
    };
}

fn described(comptime name: []const u8, comptime words: []const u8, comptime title: []const u8) json.Object {
    var object: json.Object = .{};
    object.setText("name", name);
    object.setText("title", title);
    object.setText("description", words);
    return object;
}

fn describedResource(
    comptime member: []const u8,
    comptime uri: []const u8,
    comptime name: []const u8,
    comptime options: ResourceOptions,
) []const u8 {
    comptime {
        var object = described(name, options.description, options.title);
        object.setText(member, uri);
        object.setText("mimeType", options.mime_type);
        setTags(&object, uri, options.tags);
        return object.text();
    }
}

fn describedTimeout(comptime tool_name: []const u8, comptime milliseconds: u64) []const u8 {
    if (milliseconds == 0 or milliseconds > max_timeout_ms)
        @compileError(std.fmt.comptimePrint(
            "{s}: .timeout_ms is {d}; give 1 to {d}, or leave it out for what the operator allows",
            .{ tool_name, milliseconds, max_timeout_ms },
        ));
    return "{\"timeoutMs\":" ++ json.value(milliseconds) ++ "}";
}

fn setTags(comptime object: *json.Object, comptime of: []const u8, comptime tags: []const []const u8) void {
    for (tags) |tag| if (!isTag(tag))
        @compileError(of ++ ": the tag \"" ++ tag ++ "\" is not 1 to 128 characters of A-Za-z0-9_.-");
    if (tags.len > 0) object.set("_meta", "{\"mcp-plugin-host/tags\":" ++ json.value(tags) ++ "}");
}

fn isTag(comptime word: []const u8) bool {
    for (word) |letter| if (!std.ascii.isAlphanumeric(letter) and std.mem.findScalar(u8, "_.-", letter) == null)
        return false;
    return word.len >= 1 and word.len <= 128;
}

fn describedArguments(comptime Arguments: type) []const u8 {
    comptime {
        const info = @typeInfo(Arguments).@"struct";
        var all: []const []const u8 = &.{};
        for (info.field_names, info.field_attrs) |name, attributes| {
            var object = described(name, schema.descriptionOf(Arguments, name), "");
            if (attributes.default_value_ptr == null) object.set("required", "true");
            all = all ++ .{object.text()};
        }
        return json.arrayOf(all);
    }
}

// --- Handlers

const NoArguments = struct {};

/// The type of the handler's arguments; an empty struct if it takes none.
pub fn ArgumentsOf(comptime function: anytype) type {
    for (@typeInfo(@TypeOf(function)).@"fn".param_types) |Parameter| {
        const Known = Parameter orelse @compileError("a handler has no parameters of anytype");
        if (isArguments(Known)) return Known;
    }
    return NoArguments;
}

fn isArguments(comptime Parameter: type) bool {
    return @typeInfo(Parameter) == .@"struct";
}

/// The type that the handler returns unless it fails.
pub fn ValueOf(comptime function: anytype) type {
    const Returned = @typeInfo(@TypeOf(function)).@"fn".return_type.?;
    return switch (@typeInfo(Returned)) {
        .error_union => |either| either.payload,
        else => Returned,
    };
}

fn call(comptime function: anytype, context: *Context, state: anytype, arguments: anytype) anyerror!ValueOf(function) {
    var parameters: std.meta.ArgsTuple(@TypeOf(function)) = undefined;
    inline for (@typeInfo(@TypeOf(function)).@"fn".param_types, 0..) |Parameter, i| {
        parameters[i] = switch (Parameter.?) {
            *Context => context,
            @TypeOf(state) => state,
            else => |Other| if (comptime isArguments(Other)) arguments else @compileError(
                "a handler takes a struct of arguments, *mcp.Context and a pointer to the plugin's .State, not " ++
                    @typeName(Other),
            ),
        };
    }
    // So that a crash is told as the handler's: inlined, its panics are merged with those of what calls it.
    const value = @call(.never_inline, function, parameters);
    // It has caught the end that it asked for, and would be answered for with something that it did not mean.
    if (context.question != null and !isError(value))
        return context.refuse(-32603, "the handler has caught the end of its question; return what ask returns", .{});
    return value;
}

fn isError(value: anytype) bool {
    if (@typeInfo(@TypeOf(value)) != .error_union) return false;
    _ = value catch return true;
    return false;
}
