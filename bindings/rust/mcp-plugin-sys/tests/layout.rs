//! What a C compiler makes of the headers, and what Rust makes of this crate, are the same: sizes, offsets, constants.
//! `CC` is the compiler, `MCP_PLUGIN_INCLUDE` the folder of the headers; in the project's tree neither need be set.
use std::env;
use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_plugin_sys::*;

// The figure of an expression in C, and in Rust.
struct Figure {
    c: String,
    rust: i64,
}

macro_rules! figures_of {
    ($figures:ident, $type:ident { $($member:ident),+ }) => {
        let size = concat!("sizeof(", stringify!($type), ")");
        $figures.push(Figure { c: size.into(), rust: size_of::<$type>() as i64 });
        $(
            let offset = concat!("offsetof(", stringify!($type), ", ", stringify!($member), ")");
            $figures.push(Figure { c: offset.into(), rust: offset_of!($type, $member) as i64 });
        )+
    };
}

macro_rules! constants {
    ($figures:ident, $($name:ident),+) => {
        $($figures.push(Figure { c: stringify!($name).into(), rust: $name as i64 });)+
    };
}

fn figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    figures_of!(figures, mcp_string { data, size });
    figures_of!(figures, mcp_sink { context, write });
    figures_of!(
        figures,
        mcp_host {
            size,
            reserved,
            context,
            complete,
            progress,
            log,
            is_cancelled,
            call_context,
            configuration,
            data_directory,
            components_changed,
            resource_updated,
            get_interface
        }
    );
    figures_of!(
        figures,
        mcp_plugin {
            size,
            flags,
            name,
            version,
            id,
            vendor,
            description,
            url,
            create,
            describe,
            start,
            invoke,
            cancel,
            stop
        }
    );
    figures_of!(figures, mcp_caller { size, reserved, describe });
    figures_of!(figures, mcp_bundle { size, reserved, directory });
    figures_of!(figures, mcp_server_info { size, reserved, describe });
    figures_of!(figures, mcp_subscription_listener { size, reserved, context, subscribed, unsubscribed });
    figures_of!(figures, mcp_subscriptions { size, reserved, list, listen });
    figures_of!(figures, mcp_store { size, reserved, get, put, erase, list });
    figures_of!(figures, mcp_label { name, value });
    figures_of!(figures, mcp_metrics { size, reserved, declare, add, set, observe });
    figures_of!(figures, mcp_capabilities { size, reserved, check });
    constants!(figures, MCP_OUTCOME_RESULT, MCP_OUTCOME_ERROR, MCP_OUTCOME_INPUT_REQUIRED);
    constants!(
        figures,
        MCP_CANCEL_NONE,
        MCP_CANCEL_CLIENT,
        MCP_CANCEL_DEADLINE,
        MCP_CANCEL_SHUTDOWN,
        MCP_CANCEL_RELOAD
    );
    constants!(figures, MCP_LOG_DEBUG, MCP_LOG_INFO, MCP_LOG_NOTICE, MCP_LOG_WARNING, MCP_LOG_ERROR, MCP_LOG_CRITICAL);
    constants!(figures, MCP_LOG_ALERT, MCP_LOG_EMERGENCY, MCP_PLUGIN_SERIAL, MCP_PLUGIN_NEVER_UNLOAD);
    constants!(figures, MCP_STORE_DONE, MCP_STORE_ABSENT, MCP_STORE_CHANGED, MCP_STORE_INVALID, MCP_STORE_FULL);
    constants!(figures, MCP_STORE_FAILED, MCP_STORE_ANY);
    constants!(figures, MCP_METRIC_COUNTER, MCP_METRIC_GAUGE, MCP_METRIC_HISTOGRAM);
    figures
}

fn include_folder() -> PathBuf {
    match env::var_os("MCP_PLUGIN_INCLUDE") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../plugin-api/include"),
    }
}

// What a program of this name with these statements in main prints.
fn printed_by_c(name: &str, statements: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    let names = ["caller", "bundle", "server_info", "subscriptions", "store", "metrics", "capabilities"];
    let headers: String = names.map(|name| format!("#include <mcp/{name}.h>\n")).concat();
    std::fs::write(&source, format!("{headers}#include <stdio.h>\nint main(void) {{\n{statements}}}\n")).unwrap();
    let compiler = env::var("CC").unwrap_or("cc".into());
    let compiled =
        Command::new(compiler).arg("-I").arg(include_folder()).arg(&source).arg("-o").arg(&program).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap()
}

#[test]
fn layouts_and_constants_are_those_of_the_headers() {
    let figures = figures();
    let mut statements = String::new();
    for Figure { c, .. } in &figures {
        writeln!(statements, "printf(\"%lld\\n\", (long long)({c}));").unwrap();
    }
    let printed = printed_by_c("layouts", &statements);
    let of_c: Vec<i64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(of_c.len(), figures.len());
    for (Figure { c, rust }, of_c) in figures.iter().zip(of_c) {
        assert_eq!(of_c, *rust, "{c}");
    }
}

#[test]
fn names_are_those_of_the_headers() {
    let printed = printed_by_c(
        "names",
        "puts(MCP_PLUGIN_ENTRY_SYMBOL); puts(MCP_CALLER); puts(MCP_BUNDLE); puts(MCP_SERVER_INFO);\n\
         puts(MCP_SUBSCRIPTIONS); puts(MCP_STORE); puts(MCP_METRICS); puts(MCP_CAPABILITIES);\n",
    );
    let interfaces =
        [MCP_CALLER, MCP_BUNDLE, MCP_SERVER_INFO, MCP_SUBSCRIPTIONS, MCP_STORE, MCP_METRICS, MCP_CAPABILITIES];
    let names = [MCP_PLUGIN_ENTRY_SYMBOL].into_iter().chain(interfaces).map(|name| name.to_str().unwrap());
    assert_eq!(printed.lines().collect::<Vec<_>>(), names.collect::<Vec<_>>());
}
