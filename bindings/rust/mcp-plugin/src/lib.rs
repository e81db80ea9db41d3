//! Plugins of mcp-plugin-host in Rust. A plugin is a type, and an `impl` block with [`plugin`] whose methods are its
//! components: those with [`tool`], [`resource`] and [`prompt`].
//!
//! ```
//! use mcp_plugin::plugin;
//!
//! #[derive(Default)]
//! struct Greeter;
//!
//! #[plugin(name = "greeter", version = "1.0.0")]
//! impl Greeter {
//!     /// Greets somebody.
//!     #[tool(read_only)]
//!     fn hello(
//!         &self,
//!         /// Whom to greet
//!         #[schemars(length(min = 1))]
//!         name: String,
//!     ) -> String {
//!         format!("Hello, {name}!")
//!     }
//! }
//! # let greeter = mcp_plugin::testing::Harness::<Greeter>::new();
//! # assert_eq!(greeter.call_tool("hello", serde_json::json!({"name": "Ada"})).text(), "Hello, Ada!");
//! ```
//!
//! Built as a `cdylib`, it is a library that the host serves. The host calls methods from several threads at once,
//! unless the plugin is `serial`; a method may block. One that panics fails its call, and nothing else.
#![deny(missing_docs)]

mod base64;
mod completion;
mod components;
mod content;
mod context;
mod convert;
mod error;
mod host;
mod input_request;
mod instance;
mod metrics;
mod prompt;
mod resource;
mod schema;
mod store;
mod tool;

#[doc(hidden)]
pub mod export;
pub mod testing;

pub use completion::{Completable, IntoValues};
pub use components::{Components, Info, Plugin};
pub use content::Content;
pub use context::{CallContext, CancelReason, Client, Context};
pub use convert::FromText;
pub use error::Error;
pub use host::{Host, Level};
pub use input_request::Elicited;
pub use mcp_plugin_macros::{describe, on_subscribed, on_unsubscribed, plugin, prompt, resource, tool};
pub use metrics::{Counter, Gauge, Histogram};
pub use prompt::{IntoMessages, Message, Prompt, PromptArgument, Role};
pub use resource::{IntoContents, Resource, ResourceContents, Variables};
pub use schema::{input_schema, output_schema};
pub use store::{Entry, Store};
pub use tool::{IntoToolResult, Json, Parameters, Tool, ToolResult};

pub use mcp_plugin_sys as sys;
pub use schemars;
pub use serde;
pub use serde_json;

/// What the page about plugins in Rust shows.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/rust.md")]
struct Page;
