//! The optional interfaces of the host that a [`Harness`](super::Harness) plays: in memory, and without the limits of an
//! operator. SAFETY of all functions: a plugin gives the table that it was given, whose context is its host.
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::ptr::null;

use serde_json::json;

use super::{of, text_in};
use crate::host::{bytes_of, write};
use crate::sys;

#[derive(Default)]
pub(super) struct Interfaces {
    pub(super) values: BTreeMap<String, (Vec<u8>, u64)>,
    last_revision: u64,
    metrics: Vec<(i32, String)>,
    pub(super) recorded: BTreeMap<String, f64>,
    pub(super) subscribed: BTreeSet<String>,
    pub(super) listener: Option<Listener>,
    pub(super) removed: BTreeSet<&'static CStr>,
}

impl Interfaces {
    // Returns its revision.
    pub(super) fn keep(&mut self, key: &str, value: &[u8]) -> u64 {
        self.last_revision += 1;
        self.values.insert(key.into(), (value.into(), self.last_revision));
        self.last_revision
    }
}

#[derive(Clone, Copy)]
pub(super) struct Listener(sys::mcp_subscription_listener);

// SAFETY: by the contract it may be called on any thread.
unsafe impl Send for Listener {}

impl Listener {
    pub(super) fn tell(&self, uri: &str, is_subscribed: bool) {
        let function = if is_subscribed { self.0.subscribed } else { self.0.unsubscribed };
        if let Some(function) = function {
            // SAFETY: the plugin lives as long as the harness.
            unsafe { function(self.0.context, sys::mcp_string::new(uri)) };
        }
    }
}

pub(super) unsafe extern "C" fn get_interface(host: *const sys::mcp_host, name: *const c_char) -> *const c_void {
    fn erased<T>(table: &'static T) -> *const c_void {
        (table as *const T).cast()
    }
    let name = unsafe { CStr::from_ptr(name) };
    match name {
        _ if unsafe { of(host) }.state().interfaces.removed.contains(name) => null(),
        _ if name == sys::MCP_SUBSCRIPTIONS => erased(&SUBSCRIPTIONS),
        _ if name == sys::MCP_STORE => erased(&STORE),
        _ if name == sys::MCP_METRICS => erased(&METRICS),
        _ if name == sys::MCP_CAPABILITIES => erased(&CAPABILITIES),
        _ => null(),
    }
}

static SUBSCRIPTIONS: sys::mcp_subscriptions = sys::mcp_subscriptions {
    size: size_of::<sys::mcp_subscriptions>() as u32,
    reserved: 0,
    list: Some(list_subscriptions),
    listen: Some(listen),
};

unsafe extern "C" fn list_subscriptions(host: *const sys::mcp_host, sink: *const sys::mcp_sink) {
    let uris = json!(unsafe { of(host) }.state().interfaces.subscribed);
    unsafe { write(sink, &uris.to_string()) };
}

unsafe extern "C" fn listen(host: *const sys::mcp_host, listener: *const sys::mcp_subscription_listener) {
    let listener = unsafe { listener.as_ref() }.map(|listener| Listener(*listener));
    unsafe { of(host) }.state().interfaces.listener = listener;
}

static STORE: sys::mcp_store = sys::mcp_store {
    size: size_of::<sys::mcp_store>() as u32,
    reserved: 0,
    get: Some(get),
    put: Some(put),
    erase: Some(erase),
    list: Some(list_keys),
};

// MCP_STORE_INVALID and why, unless it is a key.
unsafe fn key_in(key: &sys::mcp_string, error: *const sys::mcp_sink) -> Result<String, i32> {
    let text = unsafe { text_in(key) };
    let why = match text.len() {
        0 => "a key is not empty",
        1..=256 if text.chars().any(|c| c.is_ascii_control()) => "a key is UTF-8 text without control characters",
        1..=256 => return Ok(text),
        _ => "a key has at most 256 bytes",
    };
    unsafe { write(error, why) };
    Err(sys::MCP_STORE_INVALID)
}

unsafe extern "C" fn get(
    host: *const sys::mcp_host,
    key: sys::mcp_string,
    value: *const sys::mcp_sink,
    revision: *mut u64,
    error: *const sys::mcp_sink,
) -> i32 {
    let key = match unsafe { key_in(&key, error) } {
        Ok(key) => key,
        Err(status) => return status,
    };
    let kept = unsafe { of(host) }.state().interfaces.values.get(&key).cloned();
    let (status, bytes, found) = match kept {
        Some((bytes, found)) => (sys::MCP_STORE_DONE, bytes, found),
        None => (sys::MCP_STORE_ABSENT, Vec::new(), 0),
    };
    unsafe {
        if let Some(revision) = revision.as_mut() {
            *revision = found;
        }
        if let Some(write) = (*value).write {
            write((*value).context, sys::mcp_string::of_bytes(&bytes));
        }
    }
    status
}

unsafe extern "C" fn put(
    host: *const sys::mcp_host,
    key: sys::mcp_string,
    value: sys::mcp_string,
    if_revision: u64,
    revision: *mut u64,
    error: *const sys::mcp_sink,
) -> i32 {
    let key = match unsafe { key_in(&key, error) } {
        Ok(key) => key,
        Err(status) => return status,
    };
    if value.size > 32768 {
        unsafe { write(error, "a value has at most 32768 bytes") };
        return sys::MCP_STORE_INVALID;
    }
    let mut state = unsafe { of(host) }.state();
    let kept = &mut state.interfaces;
    if if_revision != sys::MCP_STORE_ANY && if_revision != kept.values.get(&key).map_or(0, |(_, before)| *before) {
        return sys::MCP_STORE_CHANGED;
    }
    let next = kept.keep(&key, unsafe { bytes_of(&value) });
    if let Some(revision) = unsafe { revision.as_mut() } {
        *revision = next;
    }
    sys::MCP_STORE_DONE
}

unsafe extern "C" fn erase(
    host: *const sys::mcp_host,
    key: sys::mcp_string,
    if_revision: u64,
    error: *const sys::mcp_sink,
) -> i32 {
    let key = match unsafe { key_in(&key, error) } {
        Ok(key) => key,
        Err(status) => return status,
    };
    let mut state = unsafe { of(host) }.state();
    let values = &mut state.interfaces.values;
    if if_revision != sys::MCP_STORE_ANY && if_revision != values.get(&key).map_or(0, |(_, before)| *before) {
        return sys::MCP_STORE_CHANGED;
    }
    match values.remove(&key) {
        Some(_) => sys::MCP_STORE_DONE,
        None => sys::MCP_STORE_ABSENT,
    }
}

unsafe extern "C" fn list_keys(
    host: *const sys::mcp_host,
    prefix: sys::mcp_string,
    keys: *const sys::mcp_sink,
    _error: *const sys::mcp_sink,
) -> i32 {
    let prefix = unsafe { text_in(&prefix) };
    let state = unsafe { of(host) }.state();
    let found = state.interfaces.values.keys().filter(|key| key.starts_with(&prefix)).collect::<Vec<_>>();
    unsafe { write(keys, &json!(found).to_string()) };
    sys::MCP_STORE_DONE
}

static METRICS: sys::mcp_metrics = sys::mcp_metrics {
    size: size_of::<sys::mcp_metrics>() as u32,
    reserved: 0,
    declare: Some(declare),
    add: Some(add),
    set: Some(set),
    observe: Some(observe),
};

unsafe extern "C" fn declare(
    host: *const sys::mcp_host,
    kind: i32,
    name: sys::mcp_string,
    _help: sys::mcp_string,
    _bounds: *const f64,
    _bound_count: u32,
    error: *const sys::mcp_sink,
) -> u32 {
    let mut name = unsafe { text_in(&name) };
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > 64 || !name.chars().all(is_allowed) {
        let why = format!("{name:?} is no name of a metric: a letter, and then letters, digits and _, all lower-case");
        unsafe { write(error, &why) };
        return 0;
    }
    if kind == sys::MCP_METRIC_COUNTER && !name.ends_with("_total") {
        name += "_total";
    }
    let mut state = unsafe { of(host) }.state();
    let metrics = &mut state.interfaces.metrics;
    let found = metrics.iter().position(|(_, each)| *each == name).unwrap_or(metrics.len());
    if found == metrics.len() {
        metrics.push((kind, name));
    } else if metrics[found].0 != kind {
        unsafe { write(error, &format!("{name} is a metric of another kind already")) };
        return 0;
    }
    found as u32 + 1
}

// Replaces the value of a series: of none there is the value 0.
unsafe fn record(
    host: *const sys::mcp_host,
    metric: u32,
    labels: *const sys::mcp_label,
    count: u32,
    next: impl FnOnce(f64) -> f64,
) {
    let labels = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(labels, count as usize) } };
    let pairs = labels.iter().map(|label| unsafe { (text_in(&label.name), text_in(&label.value)) });
    let pairs = pairs.filter(|(_, value)| !value.is_empty()).collect::<BTreeMap<_, _>>();
    let pairs = pairs.into_iter().map(|(name, value)| format!("{name}={value:?}")).collect::<Vec<_>>().join(",");
    let mut state = unsafe { of(host) }.state();
    let Interfaces { metrics, recorded, .. } = &mut state.interfaces;
    let name = &metrics[metric as usize - 1].1;
    let series = if pairs.is_empty() { name.clone() } else { format!("{name}{{{pairs}}}") };
    let value = recorded.entry(series).or_default();
    *value = next(*value);
}

unsafe extern "C" fn add(
    host: *const sys::mcp_host,
    metric: u32,
    labels: *const sys::mcp_label,
    count: u32,
    amount: f64,
) {
    unsafe { record(host, metric, labels, count, |before| before + amount) };
}

unsafe extern "C" fn set(
    host: *const sys::mcp_host,
    metric: u32,
    labels: *const sys::mcp_label,
    count: u32,
    value: f64,
) {
    unsafe { record(host, metric, labels, count, |_| value) };
}

unsafe extern "C" fn observe(
    host: *const sys::mcp_host,
    metric: u32,
    labels: *const sys::mcp_label,
    count: u32,
    _value: f64,
) {
    unsafe { record(host, metric, labels, count, |before| before + 1.0) };
}

static CAPABILITIES: sys::mcp_capabilities =
    sys::mcp_capabilities { size: size_of::<sys::mcp_capabilities>() as u32, reserved: 0, check: Some(check) };

// The host alone knows which names are taken.
unsafe extern "C" fn check(_host: *const sys::mcp_host, _json: sys::mcp_string, _error: *const sys::mcp_sink) -> i32 {
    0
}
