//! The table of functions that a plugin is to the host, made of what its author says.
const std = @import("std");
const abi = @import("abi.zig");
const content = @import("content.zig");
const interfaces = @import("interfaces.zig");
const json = @import("json.zig");
const Asked = @import("completion.zig").Asked;
const Context = @import("context.zig").Context;
const Failure = @import("context.zig").Failure;
const Host = @import("context.zig").Host;
const Misfit = @import("context.zig").Misfit;
const Question = @import("context.zig").Question;
const parse_options = @import("context.zig").parse_options;

const known = [_][]const u8{
    "name",               "version", "id",         "vendor",       "description", "url", "instructions", "flags", "State", "tools", "resources",
    "resource_templates", "prompts", "extensions", "experimental",
};

/// Makes a plugin of the library, once in its source:
///
///     comptime {
///         mcp.plugin(.{ .name = "weather", .version = "1.0.0", .tools = .{ mcp.tool("hello", "Greets.", hello, .{}) } });
///     }
///
/// Beside these there are .resources, .resource_templates and .prompts, lists too; .id, .vendor, .description, .url
/// and .instructions, texts; .flags, of mcp.abi; .extensions and .experimental, structs whose fields are what the plugin
/// adds to the server's capabilities, with settings; and .State, a type of which each instance of the plugin has one: its
/// function `init(mcp.Host) !State` makes it when the plugin is going to be served, and its `deinit(*State) void` ends
/// it. Its `onSubscribed(*State, uri: []const u8)` and `onUnsubscribed`, of which each may return an error, are told of what
/// clients are subscribed to, one at a time. Handlers are called on several threads at once.
pub fn plugin(comptime said: anytype) void {
    for (@typeInfo(@TypeOf(said)).@"struct".field_names) |name| {
        for (known) |each| {
            if (std.mem.eql(u8, each, name)) break;
        } else @compileError("mcp.plugin knows no ." ++ name);
    }
    @export(&Table(said).entry, .{ .name = abi.entry_symbol });
}

fn Table(comptime said: anytype) type {
    return struct {
        const State = if (@hasField(@TypeOf(said), "State")) said.State else struct {};
        const allocator = std.heap.c_allocator;

        const Instance = struct { host: Host, misfit: Misfit, state: State, has_state: bool };

        const table: abi.Plugin = .{
            .flags = if (@hasField(@TypeOf(said), "flags")) said.flags else 0,
            .name = .of(said.name),
            .version = .of(said.version),
            .id = .of(textIn(said, "id")),
            .vendor = .of(textIn(said, "vendor")),
            .description = .of(textIn(said, "description")),
            .url = .of(textIn(said, "url")),
            .create = create,
            .describe = describe,
            .start = start,
            .invoke = invoke,
            .stop = stop,
        };

        fn entry() callconv(.c) *const abi.Plugin {
            return &table;
        }

        fn create(host: *const abi.Host, reason: *const abi.Sink) callconv(.c) ?*anyopaque {
            const self = allocator.create(Instance) catch {
                reason.put("out of memory");
                return null;
            };
            self.* = .{
                .host = .{ .raw = host, .misfit = &self.misfit },
                .misfit = .{},
                .state = undefined,
                .has_state = false,
            };
            return self;
        }

        fn describe(instance: ?*anyopaque, sink: *const abi.Sink, reason: *const abi.Sink) callconv(.c) i32 {
            if (comptime capabilities(said)) |added| {
                const raw = of(instance).host.raw;
                const checking = interfaces.find(abi.Capabilities, raw) orelse {
                    reason.put(comptime interfaces.missing(abi.Capabilities));
                    return 1;
                };
                if (checking.check(raw, .of(added), reason) != 0) return 1;
            }
            sink.put(comptime description(said));
            return 0;
        }

        fn start(instance: ?*anyopaque, reason: *const abi.Sink) callconv(.c) i32 {
            const self = of(instance);
            if (!@hasDecl(State, "init")) {
                self.state = .{};
            } else if (State.init(self.host)) |state| {
                self.state = state;
            } else |err| {
                reason.put(self.misfit.wordsOf(err) orelse @errorName(err));
                return 1;
            }
            self.has_state = true;
            return listen(self, reason);
        }

        // The host tells no more before it calls stop.
        fn listen(self: *Instance, reason: *const abi.Sink) i32 {
            if (!@hasDecl(State, "onSubscribed") and !@hasDecl(State, "onUnsubscribed")) return 0;
            const subscriptions = interfaces.find(abi.Subscriptions, self.host.raw) orelse {
                reason.put(comptime interfaces.missing(abi.Subscriptions));
                return 1;
            };
            subscriptions.listen(self.host.raw, &.{ .context = self, .subscribed = subscribed, .unsubscribed = unsubscribed });
            return 0;
        }

        fn subscribed(instance: ?*anyopaque, uri: abi.String) callconv(.c) void {
            if (@hasDecl(State, "onSubscribed")) tell(of(instance), State.onSubscribed, uri.slice());
        }

        fn unsubscribed(instance: ?*anyopaque, uri: abi.String) callconv(.c) void {
            if (@hasDecl(State, "onUnsubscribed")) tell(of(instance), State.onUnsubscribed, uri.slice());
        }

        fn tell(self: *Instance, comptime function: anytype, uri: []const u8) void {
            const told = function(&self.state, uri);
            if (@TypeOf(told) != void) told catch |err|
                self.host.log(.@"error", "onSubscribed or onUnsubscribed of {s}: {s}", .{ uri, @errorName(err) });
        }

        fn stop(instance: ?*anyopaque) callconv(.c) void {
            const self = of(instance);
            if (@hasDecl(State, "deinit") and self.has_state) self.state.deinit();
            allocator.destroy(self);
        }

        fn of(instance: ?*anyopaque) *Instance {
            return @ptrCast(@alignCast(instance.?));
        }

        fn invoke(instance: ?*anyopaque, call: abi.CallId, method: abi.String, params: abi.String) callconv(.c) void {
            const self = of(instance);
            var arena: std.heap.ArenaAllocator = .init(allocator);
            defer arena.deinit();
            var context: Context = .{ .allocator = arena.allocator(), .host = self.host, .call = call };
            const answer: Answered = if (respond(&context, &self.state, method.slice(), params.slice())) |result|
                .{ .outcome = .result, .json = result }
            else |err|
                ending(&context, std.mem.eql(u8, method.slice(), "tools/call"), err) catch out_of_memory;
            self.host.raw.complete(self.host.raw, call, answer.outcome, .of(answer.json));
        }

        fn respond(context: *Context, state: *State, method: []const u8, params: []const u8) anyerror![]const u8 {
            const given = try std.json.parseFromSliceLeaky(Params, context.allocator, params, parse_options);
            if (given.inputResponses) |answers| context.answers = answers.object;
            if (std.mem.eql(u8, method, "tools/call")) return callTool(context, state, given);
            if (std.mem.eql(u8, method, "resources/read")) return readResource(context, state, given);
            if (std.mem.eql(u8, method, "prompts/get")) return getPrompt(context, state, given);
            if (std.mem.eql(u8, method, "completion/complete")) return complete(context, state, given);
            return context.refuse(-32601, "there is no method {s}", .{method});
        }

        fn callTool(context: *Context, state: *State, given: Params) anyerror![]const u8 {
            inline for (listIn(said, "tools")) |Tool| {
                if (std.mem.eql(u8, Tool.name, given.name)) return Tool.answer(context, state, given.arguments);
            }
            return context.refuse(-32602, "there is no tool {s}", .{given.name});
        }

        fn readResource(context: *Context, state: *State, given: Params) anyerror![]const u8 {
            inline for (listIn(said, "resource_templates")) |Template| {
                if (std.mem.eql(u8, Template.uri_template, given.uriTemplate))
                    return Template.answer(context, state, given.uri, given.variables);
            }
            inline for (listIn(said, "resources")) |Resource| {
                if (std.mem.eql(u8, Resource.uri, given.uri)) return Resource.answer(context, state);
            }
            return context.refuse(-32002, "there is no resource {s}", .{given.uri});
        }

        fn getPrompt(context: *Context, state: *State, given: Params) anyerror![]const u8 {
            inline for (listIn(said, "prompts")) |Prompt| {
                if (std.mem.eql(u8, Prompt.name, given.name)) return Prompt.answer(context, state, given.arguments);
            }
            return context.refuse(-32602, "there is no prompt {s}", .{given.name});
        }

        fn complete(context: *Context, state: *State, given: Params) anyerror![]const u8 {
            const asked: Asked = .{
                .name = given.argument.name,
                .typed = given.argument.value,
                .chosen = given.context.arguments,
            };
            const is_prompt = std.mem.eql(u8, given.ref.type, "ref/prompt");
            inline for (listIn(said, "prompts")) |Prompt| {
                if (is_prompt and std.mem.eql(u8, Prompt.name, given.ref.name)) return Prompt.complete(context, state, asked);
            }
            inline for (listIn(said, "resource_templates")) |Template| {
                if (!is_prompt and std.mem.eql(u8, Template.uri_template, given.ref.uri))
                    return Template.complete(context, state, asked);
            }
            const named = if (is_prompt) given.ref.name else given.ref.uri;
            return context.refuse(-32602, "there is no prompt or resource template {s}", .{named});
        }
    };
}

/// The params of every method that a plugin is given.
const Params = struct {
    name: []const u8 = "",
    arguments: std.json.Value = .{ .object = .empty },
    uri: []const u8 = "",
    uriTemplate: []const u8 = "",
    variables: std.json.Value = .null,
    inputResponses: ?std.json.Value = null,
    ref: struct { type: []const u8 = "", name: []const u8 = "", uri: []const u8 = "" } = .{},
    argument: struct { name: []const u8 = "", value: []const u8 = "" } = .{},
    context: struct { arguments: std.json.Value = .null } = .{},
};

/// `json` is what mcp_host.complete takes with this outcome.
const Answered = struct { outcome: abi.Outcome, json: []const u8 };

const out_of_memory: Answered = .{ .outcome = .@"error", .json = "{\"code\":-32603,\"message\":\"out of memory\"}" };

// How a call ends whose handler has returned an error.
fn ending(context: *Context, is_tool: bool, err: anyerror) !Answered {
    const allocator = context.allocator;
    if (err == error.InputRequired) {
        if (context.question) |question| return asking(allocator, question);
    }
    // What a handler has caught, going on, is not why it ends.
    const said: ?Failure = if (err == error.ToolError or err == error.ProtocolError) context.failure else null;
    const failure = said orelse Failure{ .message = if (err == error.Cancelled) "cancelled" else @errorName(err) };
    if (is_tool and err != error.ProtocolError)
        return .{ .outcome = .result, .json = try content.toolError(allocator, failure.message) };
    const told = .{ .code = failure.code, .message = content.Text{ .words = failure.message } };
    return .{ .outcome = .@"error", .json = try content.written(allocator, told) };
}

fn asking(allocator: std.mem.Allocator, question: Question) !Answered {
    const name = try content.written(allocator, content.Text{ .words = question.name });
    const pattern = "{{\"inputRequests\":{{{s}:{s}}}}}";
    return .{ .outcome = .input_required, .json = try std.fmt.allocPrint(allocator, pattern, .{ name, question.json }) };
}

fn description(comptime said: anytype) []const u8 {
    comptime {
        @setEvalBranchQuota(100_000);
        var object: json.Object = .{};
        object.setText("instructions", textIn(said, "instructions"));
        for (.{ "tools", "resources", "resource_templates", "prompts" }) |list| {
            var all: []const []const u8 = &.{};
            for (listIn(said, list)) |Component| all = all ++ .{Component.description};
            const member = if (std.mem.eql(u8, list, "resource_templates")) "resourceTemplates" else list;
            if (all.len > 0) object.set(member, json.arrayOf(all));
        }
        if (anyCompletes(said)) object.set("completions", "true");
        if (capabilities(said)) |added| object.set("capabilities", added);
        return object.text();
    }
}

// What is added to the server's, as JSON.
fn capabilities(comptime said: anytype) ?[]const u8 {
    comptime {
        var object: json.Object = .{};
        for (.{ "extensions", "experimental" }) |group| {
            if (!@hasField(@TypeOf(said), group)) continue;
            const added = @field(said, group);
            var members: json.Object = .{};
            for (@typeInfo(@TypeOf(added)).@"struct".field_names) |name| members.set(name, settings(@field(added, name)));
            object.set(group, members.text());
        }
        return if (object.members.len > 0) object.text() else null;
    }
}

// `.{}` has no settings, and is no list.
fn settings(comptime of: anytype) []const u8 {
    return if (@typeInfo(@TypeOf(of)).@"struct".field_names.len == 0) "{}" else json.value(of);
}

fn anyCompletes(comptime said: anytype) bool {
    for (.{ "prompts", "resource_templates" }) |list| {
        for (listIn(said, list)) |Component| if (Component.completes) return true;
    }
    return false;
}

fn textIn(comptime said: anytype, comptime name: []const u8) []const u8 {
    return if (@hasField(@TypeOf(said), name)) @field(said, name) else "";
}

fn listIn(comptime said: anytype, comptime name: []const u8) ListIn(said, name) {
    return if (@hasField(@TypeOf(said), name)) @field(said, name) else .{};
}

fn ListIn(comptime said: anytype, comptime name: []const u8) type {
    return if (@hasField(@TypeOf(said), name)) @TypeOf(@field(said, name)) else @TypeOf(.{});
}
