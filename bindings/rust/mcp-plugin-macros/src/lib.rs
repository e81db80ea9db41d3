//! The attributes of the crate `mcp-plugin`, which says it all together.
use proc_macro::TokenStream;
use quote::quote;

mod component;
mod options;
mod parameters;
mod plugin;

/// Makes a plugin of an `impl` block, and exports it as the library's.
///
/// Its methods with `#[tool]`, `#[resource]` and `#[prompt]` are what it exports. Two more have names of their own:
///
/// - `fn new(host: &Host) -> Self`, or a `Result` of it, makes the plugin; `host` may be left out. It opens no thread,
///   socket or file. Without it the plugin is what its type's `Default` is.
/// - `fn start(&self)` opens them, and may return a `Result`. `Drop` is their end.
///
/// Options: `name` and `version`, which are the package's unless given; `id`, `vendor`, `description`, `url`;
/// `instructions`, for the model; `serial`, for one call at a time; `unloads`, for one that leaves no thread behind when
/// it is dropped, so that its library may leave the process.
///
/// The other attributes need not be imported.
#[proc_macro_attribute]
pub fn plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    plugin::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a tool of a method of a block with `#[plugin]`. The words of its comment are for the model.
///
/// Its parameters are its arguments: of any type that is `serde::Deserialize` and `schemars::JsonSchema`. Each may have a
/// comment, attributes of serde and schemars, such as `#[schemars(range(min = 1))]`, and `#[arg(default = VALUE)]`. A
/// single `Parameters<T>` takes all arguments as one type, and `&Context` gets the call.
///
/// Options: `name`, `title`, `description`; `read_only`, `destructive`, `idempotent`, `open_world`, each alone or with
/// `= false`; `timeout = Duration::from_secs(20)`, a constant from 1 ms to 365 days: how long a call of it may take, where
/// that is less than the operator allows; and `tags = ["slow", "internal"]`, words by which operators and clients choose
/// among tools, of 1 to 128 characters of `A-Z a-z 0-9 _ . -`.
#[proc_macro_attribute]
pub fn tool(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("tool", item)
}

/// Makes a resource of a method of a block with `#[plugin]`; a template of them where the URI has variables, or `*`, which
/// is any text. The words of its comment are for the model.
///
/// Its parameters are the variables, by their names, of a type that is `FromText`; `&Context` gets the call. With
/// `#[arg(complete = ...)]` values are offered for one, as for an argument of a prompt.
///
/// Options: `uri`, which must be given; `name`, `title`, `description`, `mime_type`; `tags`, as of a tool.
#[proc_macro_attribute]
pub fn resource(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("resource", item)
}

/// Makes a prompt of a method of a block with `#[plugin]`. The words of its comment say what it is for.
///
/// Its parameters are its arguments, of a type that is `FromText`; each may have a comment. `&Context` gets the call.
///
/// What is offered while somebody fills in an argument says `#[arg(complete = ["small", "large"])]`, of which those are
/// offered that begin with what has been typed, or `#[arg(complete = Self::sizes)]`, a method
/// `fn sizes(&self, typed: &str, chosen: &Variables, context: &Context) -> Vec<String>`, or a `Result` of it, which
/// returns the best first; a client is told 100. `chosen` are the other arguments.
///
/// Options: `name`, `title`, `description`; `tags`, as of a tool.
#[proc_macro_attribute]
pub fn prompt(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("prompt", item)
}

/// Has a method of a block with `#[plugin]`, `fn more(&self, components: &mut Components<Self>)`, add what is known only
/// when the plugin runs: it is called after `Host::components_changed`, too.
#[proc_macro_attribute]
pub fn describe(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("describe", item)
}

/// Has a method of a block with `#[plugin]`, `fn watch(&self, uri: &str)`, or one that returns a `Result`, told that clients
/// are subscribed to a resource now; when the plugin has started, of each that they are subscribed to already. The URI is
/// the one that is read. One such method is called at a time.
#[proc_macro_attribute]
pub fn on_subscribed(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("on_subscribed", item)
}

/// The same where no client is subscribed any more.
#[proc_macro_attribute]
pub fn on_unsubscribed(_options: TokenStream, item: TokenStream) -> TokenStream {
    only_within_plugin("on_unsubscribed", item)
}

// Within such a block they are read, and removed, before the compiler meets them.
fn only_within_plugin(name: &str, item: TokenStream) -> TokenStream {
    let message = format!("#[{name}] belongs to a method of an `impl` block that has the attribute #[plugin]");
    let item = proc_macro2::TokenStream::from(item);
    quote!(::core::compile_error!(#message); #item).into()
}
