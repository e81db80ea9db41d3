//! What sample.c is, in Rust, which declares the contract itself.
use std::mem::size_of;
use std::os::raw::{c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    data: *const u8,
    size: u64,
}

#[repr(C)]
struct Sink {
    context: *mut c_void,
    write: unsafe extern "C" fn(context: *mut c_void, text: Text),
}

#[repr(C)]
struct Host {
    size: u32,
    reserved: u32,
    context: *mut c_void,
    complete: unsafe extern "C" fn(host: *const Host, call: u64, outcome: i32, json: Text),
    progress: unsafe extern "C" fn(host: *const Host, call: u64, progress: f64, total: f64, message: Text),
    log: unsafe extern "C" fn(host: *const Host, call: u64, level: i32, message: Text),
    is_cancelled: unsafe extern "C" fn(host: *const Host, call: u64) -> i32,
    call_context: unsafe extern "C" fn(host: *const Host, call: u64, sink: *const Sink),
    configuration: unsafe extern "C" fn(host: *const Host, sink: *const Sink),
    data_directory: unsafe extern "C" fn(host: *const Host, sink: *const Sink),
    components_changed: unsafe extern "C" fn(host: *const Host),
    resource_updated: unsafe extern "C" fn(host: *const Host, uri: Text),
    get_interface: unsafe extern "C" fn(host: *const Host, name: *const c_char) -> *const c_void,
}

#[repr(C)]
struct Caller {
    size: u32,
    reserved: u32,
    describe: unsafe extern "C" fn(host: *const Host, call: u64, sink: *const Sink),
}

#[repr(C)]
pub struct Plugin {
    size: u32,
    flags: u32,
    name: Text,
    version: Text,
    id: Text,
    vendor: Text,
    description: Text,
    url: Text,
    create: unsafe extern "C" fn(host: *const Host, error: *const Sink) -> *mut c_void,
    describe: unsafe extern "C" fn(sample: *mut c_void, sink: *const Sink, error: *const Sink) -> i32,
    start: unsafe extern "C" fn(sample: *mut c_void, error: *const Sink) -> i32,
    invoke: unsafe extern "C" fn(sample: *mut c_void, call: u64, method: Text, params: Text),
    cancel: unsafe extern "C" fn(sample: *mut c_void, call: u64, reason: i32),
    stop: unsafe extern "C" fn(sample: *mut c_void),
}

// SAFETY: it is never written.
unsafe impl Sync for Plugin {}

struct Sample {
    host: *const Host,
    started: AtomicBool,
    waiting: AtomicU64, // the one call that waits to be cancelled, or 0
}

const fn text(words: &str) -> Text {
    Text { data: words.as_ptr(), size: words.len() as u64 }
}

unsafe fn bytes<'a>(text: &'a Text) -> &'a [u8] {
    if text.size == 0 {
        return b"";
    }
    unsafe { std::slice::from_raw_parts(text.data, text.size as usize) }
}

/// What `tell` writes into the sink that it is given.
fn told(tell: impl FnOnce(&Sink)) -> String {
    unsafe extern "C" fn append(all: *mut c_void, more: Text) {
        unsafe { (*all.cast::<Vec<u8>>()).extend_from_slice(bytes(&more)) };
    }
    let mut all = Vec::new();
    tell(&Sink { context: (&mut all as *mut Vec<u8>).cast(), write: append });
    String::from_utf8(all).unwrap_or_default()
}

impl Sample {
    unsafe fn tell_what_is_known(&self, call: u64) {
        const MCP_CALLER: &[u8] = b"mcp.caller/1\0";
        let (host, started) = (self.host, self.started.load(SeqCst));
        let context = told(|sink| unsafe { ((*host).call_context)(host, call, sink) });
        let callers = unsafe { ((*host).get_interface)(host, MCP_CALLER.as_ptr().cast()) }.cast::<Caller>();
        let caller = told(|sink| unsafe { ((*callers).describe)(host, call, sink) });
        let known = format!(r#"{{"context":{context},"caller":{caller},"started":{started}}}"#);
        let result = format!(r#"{{"content":[],"structuredContent":{known}}}"#);
        unsafe { ((*host).complete)(host, call, 0, text(&result)) };
    }

    // The call may be cancelled before invoke has come to know of it, and while it does.
    unsafe fn end_waiting(&self, call: u64) {
        if self.waiting.compare_exchange(call, 0, SeqCst, SeqCst).is_err() {
            return;
        }
        let host = self.host;
        let reason = unsafe { ((*host).is_cancelled)(host, call) };
        let error = format!(r#"{{"code":-32603,"message":"cancelled {reason}"}}"#);
        unsafe { ((*host).complete)(host, call, 1, text(&error)) };
    }
}

unsafe extern "C" fn create(host: *const Host, _error: *const Sink) -> *mut c_void {
    let sample = Sample { host, started: AtomicBool::new(false), waiting: AtomicU64::new(0) };
    Box::into_raw(Box::new(sample)).cast()
}

unsafe extern "C" fn describe(_sample: *mut c_void, sink: *const Sink, _error: *const Sink) -> i32 {
    for part in [
        r#"{"tools":[{"name":"known","inputSchema":{"type":"object"}},"#,
        r#"{"name":"wait","inputSchema":{"type":"object"}}]}"#,
    ] {
        unsafe { ((*sink).write)((*sink).context, text(part)) };
    }
    0
}

unsafe extern "C" fn start(sample: *mut c_void, _error: *const Sink) -> i32 {
    unsafe { &*sample.cast::<Sample>() }.started.store(true, SeqCst);
    0
}

unsafe extern "C" fn invoke(sample: *mut c_void, call: u64, _method: Text, params: Text) {
    let sample = unsafe { &*sample.cast::<Sample>() };
    if !String::from_utf8_lossy(unsafe { bytes(&params) }).contains("\"wait\"") {
        return unsafe { sample.tell_what_is_known(call) };
    }
    sample.waiting.store(call, SeqCst);
    if unsafe { ((*sample.host).is_cancelled)(sample.host, call) } != 0 {
        unsafe { sample.end_waiting(call) };
    }
}

unsafe extern "C" fn cancel(sample: *mut c_void, call: u64, _reason: i32) {
    unsafe { (*sample.cast::<Sample>()).end_waiting(call) };
}

unsafe extern "C" fn stop(sample: *mut c_void) {
    drop(unsafe { Box::from_raw(sample.cast::<Sample>()) });
}

static PLUGIN: Plugin = Plugin {
    size: size_of::<Plugin>() as u32,
    flags: 1, // MCP_PLUGIN_SERIAL
    name: text("kept"),
    version: text("1.0.0"),
    id: text("test.kept.rust"),
    vendor: text("The tests"),
    description: text("Was built long ago."),
    url: text("https://example.org/kept"),
    create,
    describe,
    start,
    invoke,
    cancel,
    stop,
};

#[no_mangle]
pub extern "C" fn mcp_plugin_entry_v1() -> *const Plugin {
    &PLUGIN
}
