//! `#[plugin]`: an `impl` block becomes an implementation of `Plugin`, and the symbol that the host looks for.
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Ident, ImplItem, ImplItemFn, ItemImpl, Result};

use crate::component::{registration, told_of};
use crate::options::Options;

const TEXTS: [&str; 4] = ["id", "vendor", "description", "url"];

pub fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut known = vec!["name", "version", "instructions", "serial", "unloads"];
    known.extend(TEXTS);
    let options = syn::parse2::<Options>(options)?.known(&known)?;
    let mut block: ItemImpl = syn::parse2(item)?;
    if block.trait_.is_some() || !block.generics.params.is_empty() {
        let message = "#[plugin] belongs to the impl block of a type of its own: `impl Greeter { ... }`";
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    let (mut registrations, mut told) = (Vec::new(), Vec::new());
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            told.extend(told_of(method).into_iter().map(|kind| (kind, method.sig.ident.clone())));
            registrations.extend(registration(method)?);
        }
    }
    let info = info(&options)?;
    let instructions = options.value("instructions")?.map(|text| quote!(components.instructions(#text);));
    let (create, start) = (create(&block), start(&block));
    let (class, listening) = (&block.self_ty, listening(&told));
    Ok(quote! {
        #block

        impl ::mcp_plugin::Plugin for #class {
            #info

            fn create(host: &::mcp_plugin::Host) -> ::core::result::Result<Self, ::mcp_plugin::Error> {
                let _ = host;
                #create
            }

            fn describe(
                &self,
                components: &mut ::mcp_plugin::Components<Self>,
            ) -> ::core::result::Result<(), ::mcp_plugin::Error> {
                #instructions
                #(#registrations)*
                ::core::result::Result::Ok(())
            }

            #start

            #listening
        }

        const _: () = {
            static TABLE: ::mcp_plugin::export::Table = ::mcp_plugin::export::table::<#class>();

            #[unsafe(no_mangle)]
            extern "C" fn mcp_plugin_entry_v1() -> *const ::mcp_plugin::sys::mcp_plugin {
                TABLE.as_ptr()
            }
        };
    })
}

fn info(options: &Options) -> Result<TokenStream> {
    let name = options.value("name")?.map_or_else(|| quote!(::core::env!("CARGO_PKG_NAME")), |name| quote!(#name));
    let version =
        options.value("version")?.map_or_else(|| quote!(::core::env!("CARGO_PKG_VERSION")), |version| quote!(#version));
    let flag = |name| options.flag(name).unwrap_or_else(|| syn::parse_quote!(false));
    let (serial, unloads) = (flag("serial"), flag("unloads"));
    let mut texts = Vec::new();
    for text in TEXTS {
        let value = options.value(text)?.cloned().unwrap_or_else(|| syn::parse_quote!(""));
        let text = format_ident!("{text}");
        texts.push(quote!(#text: #value));
    }
    Ok(quote! {
        const INFO: ::mcp_plugin::Info = ::mcp_plugin::Info {
            name: #name, version: #version, #(#texts,)* serial: #serial, unloads: #unloads
        };
    })
}

fn method<'a>(block: &'a ItemImpl, name: &str) -> Option<&'a ImplItemFn> {
    block.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(method),
        _ => None,
    })
}

fn create(block: &ItemImpl) -> TokenStream {
    let made = match method(block, "new").map(|new| new.sig.inputs.is_empty()) {
        None => quote!(<Self as ::core::default::Default>::default()),
        Some(true) => quote!(Self::new()),
        Some(false) => quote!(Self::new(host)),
    };
    quote!(::mcp_plugin::export::IntoPlugin::into_plugin(#made))
}

fn start(block: &ItemImpl) -> Option<TokenStream> {
    method(block, "start").map(|_| {
        quote! {
            fn start(&self) -> ::core::result::Result<(), ::mcp_plugin::Error> {
                ::mcp_plugin::export::IntoDone::into_done(Self::start(self))
            }
        }
    })
}

// The methods that are told of subscriptions: of each kind, and by name.
fn listening(told: &[(&str, Ident)]) -> Option<TokenStream> {
    let methods = ["on_subscribed", "on_unsubscribed"].map(|kind| {
        let (name, told) =
            (format_ident!("{kind}"), told.iter().filter(|(each, _)| *each == kind).map(|(_, name)| name));
        quote! {
            fn #name(&self, uri: &str) -> ::core::result::Result<(), ::mcp_plugin::Error> {
                let _ = uri;
                #(::mcp_plugin::export::IntoDone::into_done(Self::#told(self, uri))?;)*
                ::core::result::Result::Ok(())
            }
        }
    });
    (!told.is_empty()).then(|| quote!(const LISTENS: bool = true; #(#methods)*))
}

#[cfg(test)]
mod tests {
    use super::*;

    // What an author is told who writes this.
    fn mistake(options: TokenStream, item: TokenStream) -> String {
        expand(options, item).map(|_| ()).expect_err("it is a mistake").to_string()
    }

    fn mistake_in_method(method: TokenStream) -> String {
        mistake(quote!(), quote!(impl Greeter { #method }))
    }

    #[test]
    fn a_mistake_is_told_in_words_that_help() {
        let told = mistake(quote!(names = "x"), quote!(impl Greeter {}));
        assert!(told.starts_with("there is no option `names` here; there are: name, version, "), "{told}");
        let told = mistake(quote!(), quote!(impl Default for Greeter {}));
        assert!(told.contains("`impl Greeter { ... }`"), "{told}");
        for (method, expected) in [
            (
                quote!(
                    #[tool(name)]
                    fn hello(&self) {}
                ),
                "`name` needs a value: name = ...",
            ),
            (
                quote!(
                    #[tool]
                    fn hello(&self, name: &str) {}
                ),
                "take String for &str",
            ),
            (
                quote!(
                    #[tool]
                    fn hello(&self, (a, b): (u8, u8)) {}
                ),
                "an argument needs a name",
            ),
            (
                quote!(
                    #[tool]
                    fn hello(&self, a: u8, all: Parameters<All>) {}
                ),
                "let there be none beside it",
            ),
            (
                quote!(
                    #[tool]
                    fn hello(&self, #[arg(min = 1)] a: u8) {}
                ),
                "there is no option `min` here",
            ),
            (
                quote!(
                    #[tool(timeout = "30s")]
                    fn hello(&self) {}
                ),
                "`timeout` is a Duration: timeout = Duration::from_secs(30)",
            ),
            (
                quote!(
                    #[prompt(timeout = Duration::from_secs(1))]
                    fn hello(&self) {}
                ),
                "there is no option `timeout` here; there are: name, title, description, tags",
            ),
            (
                quote!(
                    #[tool(tags = "slow")]
                    fn hello(&self) {}
                ),
                "`tags` is a list of texts: tags = [\"slow\", \"internal\"]",
            ),
            (
                quote!(
                    #[resource(uri = "a://b", tags = ["a", 1])]
                    fn hello(&self) {}
                ),
                "a tag is a text: tags = ",
            ),
            (
                quote!(
                    #[prompt(tags = ["not this"])]
                    fn hello(&self) {}
                ),
                "a tag is 1 to 128 characters of A-Z a-z 0-9 _ . -: tags = ",
            ),
            (
                quote!(
                    #[prompt]
                    fn hello(&self, #[arg(complete = "small")] size: String) {}
                ),
                "complete = [\"small\", \"large\"] or complete = Self::sizes",
            ),
            (
                quote!(
                    #[resource(uri = "a://{size}")]
                    fn hello(&self, #[arg(default = 1)] size: u8) {}
                ),
                "there is no option `default` here; there are: complete",
            ),
            (
                quote!(
                    #[resource(uri = "a://{day}")]
                    fn hello(&self, #[schemars(range(min = 1))] day: u32) {}
                ),
                "let the method refuse what does not fit, by Error::invalid_params",
            ),
            (
                quote!(
                    #[prompt]
                    fn hello(
                        &self,
                        #[arg(complete = ["a"])]
                        #[serde(default)]
                        size: String,
                    ) {
                    }
                ),
                "only an argument of a tool has a schema: leave this attribute out",
            ),
            (
                quote!(
                    #[prompt]
                    fn hello(&self, #[schemars(range(min = 1))] context: &Context) {}
                ),
                "&Context is no argument: leave this attribute out",
            ),
            (
                quote!(
                    #[tool]
                    fn hello(&self, #[arg(default = 1)] all: Parameters<All>) {}
                ),
                "put this attribute on a field of T",
            ),
            (
                quote!(
                    #[tool]
                    async fn hello(&self) {}
                ),
                "leave `async` out",
            ),
            (
                quote!(
                    #[tool]
                    #[prompt]
                    fn hello(&self) {}
                ),
                "a method is one component",
            ),
            (
                quote!(
                    #[resource]
                    fn hello(&self) {}
                ),
                "a resource needs a URI",
            ),
            (
                quote!(
                    #[prompt]
                    fn hello(&self, all: Parameters<All>) {}
                ),
                "only a tool has Parameters",
            ),
        ] {
            let told = mistake_in_method(method);
            assert!(told.contains(expected), "{told}");
        }
    }
}
