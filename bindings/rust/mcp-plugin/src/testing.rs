//! Unit tests of a plugin without a host and without a library: a [`Harness`] runs it behind the same C table that a
//! host would use, and plays the host. Arguments are not checked against schemas here, nor defaults filled in other
//! than by serde; a host does that before it calls a plugin.
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::mem::size_of;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{json, Value};

use crate::host::{bytes_of, write};
use crate::{export, sys, Plugin};

mod interfaces;

use interfaces::Interfaces;

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One of `sys::MCP_OUTCOME_*`.
    pub kind: i32,
    /// What `mcp/plugin.h` says for this kind.
    pub json: Value,
}

impl Outcome {
    /// Whether it is a result that is not a tool error.
    pub fn ok(&self) -> bool {
        self.kind == sys::MCP_OUTCOME_RESULT && self.json["isError"] != true
    }

    /// Every text in it, one a line: of a tool's contents, a resource's, a prompt's messages, or of an error.
    pub fn text(&self) -> String {
        if let Some(message) = self.json["message"].as_str() {
            return message.into();
        }
        let lists = ["content", "contents", "messages"].map(|name| self.json[name].as_array());
        let blocks = lists.into_iter().flatten().flatten();
        let texts = blocks.filter_map(|block| block["text"].as_str().or(block["content"]["text"].as_str()));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The structured content of a tool's result, or null.
    pub fn structured(&self) -> &Value {
        &self.json["structuredContent"]
    }

    /// The values of a completion.
    pub fn values(&self) -> Vec<&str> {
        self.json["completion"]["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// A plugin that is served. It is stopped when this is dropped.
pub struct Harness<P: Plugin> {
    table: &'static sys::mcp_plugin,
    instance: *mut c_void,
    host: Box<FakeHost>,
    plugin: PhantomData<P>,
}

// SAFETY: a plugin's functions may be called from several threads, and the fake host is behind locks.
unsafe impl<P: Plugin> Send for Harness<P> {}
unsafe impl<P: Plugin> Sync for Harness<P> {}

impl<P: Plugin> Default for Harness<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Plugin> Harness<P> {
    /// Creates, describes and starts the plugin. Panics with the reason if it refuses.
    pub fn new() -> Self {
        Self::with_configuration(json!({}))
    }

    /// The same with the content of NAME.json.
    pub fn with_configuration(configuration: Value) -> Self {
        let table = Box::leak(Box::new(export::table::<P>()));
        // SAFETY: it is there for ever.
        let table = unsafe { &*table.as_ptr() };
        let host = FakeHost::new(configuration);
        let mut error = Text::default();
        // SAFETY: here and below, the host and the sinks are valid until the function returns, and the host until stop.
        let instance = unsafe { table.create.unwrap()(host.table(), &error.sink()) };
        assert!(!instance.is_null(), "{}", error.text());
        let harness = Self { table, instance, host, plugin: PhantomData };
        harness.description();
        let started = unsafe { table.start.unwrap()(instance, &error.sink()) };
        assert_eq!(started, 0, "{}", error.text());
        harness
    }

    /// What the host would read: tools, resources, resourceTemplates, prompts, instructions.
    pub fn description(&self) -> Value {
        let (mut description, mut error) = (Text::default(), Text::default());
        let described = unsafe { self.table.describe.unwrap()(self.instance, &description.sink(), &error.sink()) };
        assert_eq!(described, 0, "{}", error.text());
        serde_json::from_str(&description.text()).expect("the description is JSON")
    }

    /// Calls a tool.
    pub fn call_tool(&self, name: &str, arguments: Value) -> Outcome {
        self.invoke("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// Calls a tool as often as it asks: `answer` plays the client, is given each request, and returns its result.
    pub fn call_tool_with(&self, name: &str, arguments: Value, answer: impl Fn(&Value) -> Value) -> Outcome {
        let mut params = json!({ "name": name, "arguments": arguments });
        loop {
            let outcome = self.invoke("tools/call", params.clone());
            if outcome.kind != sys::MCP_OUTCOME_INPUT_REQUIRED {
                return outcome;
            }
            for (key, request) in outcome.json["inputRequests"].as_object().into_iter().flatten() {
                params["inputResponses"][key] = answer(request);
            }
        }
    }

    /// Reads a resource.
    pub fn read(&self, uri: &str) -> Outcome {
        self.invoke("resources/read", json!({ "uri": uri }))
    }

    /// Reads what a template stands for with these variables.
    pub fn read_template<const N: usize>(&self, uri_template: &str, variables: [(&str, &str); N]) -> Outcome {
        let mut uri = uri_template.to_owned();
        for (name, value) in variables {
            uri = uri.replace(&format!("{{{name}}}"), value);
        }
        let variables = BTreeMap::from(variables);
        self.invoke("resources/read", json!({ "uri": uri, "uriTemplate": uri_template, "variables": variables }))
    }

    /// Gets a prompt.
    pub fn get_prompt<const N: usize>(&self, name: &str, arguments: [(&str, &str); N]) -> Outcome {
        self.invoke("prompts/get", json!({ "name": name, "arguments": BTreeMap::from(arguments) }))
    }

    /// What is offered for an argument of a prompt of which this has been typed, where these others have been chosen.
    pub fn complete_prompt<const N: usize>(
        &self,
        prompt: &str,
        argument: &str,
        typed: &str,
        chosen: [(&str, &str); N],
    ) -> Outcome {
        self.complete_for(json!({ "type": "ref/prompt", "name": prompt }), argument, typed, &BTreeMap::from(chosen))
    }

    /// The same for a variable of a template.
    pub fn complete_template<const N: usize>(
        &self,
        uri_template: &str,
        variable: &str,
        typed: &str,
        chosen: [(&str, &str); N],
    ) -> Outcome {
        let template = json!({ "type": "ref/resource", "uri": uri_template });
        self.complete_for(template, variable, typed, &BTreeMap::from(chosen))
    }

    fn complete_for(&self, to: Value, name: &str, typed: &str, chosen: &BTreeMap<&str, &str>) -> Outcome {
        let argument = json!({ "name": name, "value": typed });
        let params = json!({ "ref": to, "argument": argument, "context": { "arguments": chosen } });
        self.invoke("completion/complete", params)
    }

    /// Any method, any params.
    pub fn invoke(&self, method: &str, params: Value) -> Outcome {
        let call = self.host.begin_call();
        let params = params.to_string();
        let (method, params) = (sys::mcp_string::new(method), sys::mcp_string::new(&params));
        unsafe { self.table.invoke.unwrap()(self.instance, call, method, params) };
        self.host.state().outcomes.remove(&call).expect("the call has been completed")
    }

    /// From now on every call is found to be cancelled by the client.
    pub fn cancel_calls(&self) {
        self.host.state().is_cancelled = true;
    }

    /// What [`Context::call_context`](crate::Context::call_context) reads from now on.
    pub fn set_call_context(&self, context: Value) {
        self.host.state().context = context.to_string();
    }

    /// Clients are subscribed to the resource from now on, and the plugin is told.
    pub fn subscribe(&self, uri: &str) {
        self.change_subscription(uri, true);
    }

    /// No client is subscribed to it any more.
    pub fn unsubscribe(&self, uri: &str) {
        self.change_subscription(uri, false);
    }

    fn change_subscription(&self, uri: &str, is_subscribed: bool) {
        let (has_changed, listener) = {
            let interfaces = &mut self.host.state().interfaces;
            let subscribed = &mut interfaces.subscribed;
            let has_changed = if is_subscribed { subscribed.insert(uri.into()) } else { subscribed.remove(uri) };
            (has_changed, interfaces.listener)
        };
        if let Some(listener) = listener.filter(|_| has_changed) {
            listener.tell(uri, is_subscribed);
        }
    }

    /// Puts a value before the plugin asks for it.
    pub fn store(&self, key: &str, value: impl AsRef<[u8]>) {
        self.host.state().interfaces.keep(key, value.as_ref());
    }

    /// What the plugin keeps in its [`Store`](crate::Store).
    pub fn stored(&self) -> BTreeMap<String, Vec<u8>> {
        let values = &self.host.state().interfaces.values;
        values.iter().map(|(key, (value, _))| (key.clone(), value.clone())).collect()
    }

    /// What it has recorded: `requests_total{kind="a"}`, and of a histogram how many values.
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        self.host.state().interfaces.recorded.clone()
    }

    /// From now on the host is one that lacks this interface: `sys::MCP_STORE`.
    pub fn remove_interface(&self, name: &'static CStr) {
        self.host.state().interfaces.removed.insert(name);
    }

    /// What the plugin has logged, and the messages of its progress.
    pub fn messages(&self) -> Vec<String> {
        self.host.state().messages.clone()
    }
}

impl<P: Plugin> Drop for Harness<P> {
    fn drop(&mut self) {
        // SAFETY: nothing else of the plugin runs, because everything else borrows this.
        unsafe { self.table.stop.unwrap()(self.instance) };
    }
}

// A sink.
#[derive(Default)]
struct Text(Vec<u8>);

impl Text {
    fn sink(&mut self) -> sys::mcp_sink {
        unsafe extern "C" fn append(text: *mut c_void, more: sys::mcp_string) {
            // SAFETY: the context below.
            unsafe { (*text.cast::<Text>()).0.extend_from_slice(bytes_of(&more)) };
        }
        sys::mcp_sink { context: (&raw mut *self).cast(), write: Some(append) }
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.clone()).expect("a plugin writes UTF-8")
    }
}

// The host's side of the contract. Its table points back to it.
struct FakeHost {
    table: sys::mcp_host,
    configuration: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last_call: u64,
    outcomes: HashMap<u64, Outcome>,
    messages: Vec<String>,
    context: String,
    is_cancelled: bool,
    interfaces: Interfaces,
}

impl FakeHost {
    fn new(configuration: Value) -> Box<Self> {
        let table = sys::mcp_host {
            size: size_of::<sys::mcp_host>() as u32,
            reserved: 0,
            context: std::ptr::null_mut(),
            complete: Some(complete),
            progress: Some(progress),
            log: Some(log),
            is_cancelled: Some(is_cancelled),
            call_context: Some(call_context),
            configuration: Some(write_configuration),
            data_directory: Some(data_directory),
            components_changed: Some(components_changed),
            resource_updated: Some(resource_updated),
            get_interface: Some(interfaces::get_interface),
        };
        let mut host = Box::new(Self { table, configuration: configuration.to_string(), state: Mutex::default() });
        host.table.context = (&raw mut *host).cast();
        host
    }

    fn table(&self) -> *const sys::mcp_host {
        &self.table
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_call(&self) -> u64 {
        let mut state = self.state();
        state.last_call += 1;
        state.last_call
    }
}

// SAFETY of all of them: a plugin gives the table that it was given, whose context is its host.

unsafe fn of<'a>(host: *const sys::mcp_host) -> &'a FakeHost {
    unsafe { &*(*host).context.cast() }
}

unsafe fn text_in(text: &sys::mcp_string) -> String {
    String::from_utf8(unsafe { bytes_of(text) }.into()).expect("a plugin says UTF-8")
}

unsafe extern "C" fn complete(host: *const sys::mcp_host, call: u64, kind: i32, json: sys::mcp_string) {
    let json = serde_json::from_slice(unsafe { bytes_of(&json) }).expect("an answer is JSON");
    unsafe { of(host) }.state().outcomes.insert(call, Outcome { kind, json });
}

unsafe extern "C" fn progress(host: *const sys::mcp_host, _call: u64, _value: f64, _total: f64, text: sys::mcp_string) {
    unsafe { of(host).state().messages.push(text_in(&text)) };
}

unsafe extern "C" fn log(host: *const sys::mcp_host, _call: u64, _level: i32, text: sys::mcp_string) {
    unsafe { of(host).state().messages.push(text_in(&text)) };
}

unsafe extern "C" fn is_cancelled(host: *const sys::mcp_host, _call: u64) -> i32 {
    if unsafe { of(host) }.state().is_cancelled {
        sys::MCP_CANCEL_CLIENT
    } else {
        sys::MCP_CANCEL_NONE
    }
}

unsafe extern "C" fn call_context(host: *const sys::mcp_host, _call: u64, sink: *const sys::mcp_sink) {
    let context = unsafe { of(host) }.state().context.clone();
    unsafe { write(sink, &context) };
}

unsafe extern "C" fn write_configuration(host: *const sys::mcp_host, sink: *const sys::mcp_sink) {
    unsafe { write(sink, &of(host).configuration) };
}

unsafe extern "C" fn data_directory(_host: *const sys::mcp_host, _sink: *const sys::mcp_sink) {}
unsafe extern "C" fn components_changed(_host: *const sys::mcp_host) {}
unsafe extern "C" fn resource_updated(_host: *const sys::mcp_host, _uri: sys::mcp_string) {}
