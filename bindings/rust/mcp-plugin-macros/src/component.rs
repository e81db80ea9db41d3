//! A method that is a component, and the statement that adds it to `components`.
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, ImplItemFn, Meta, Result};

use crate::options::{duration, said, words, Options};
use crate::parameters::{parameters_of, plain, refuse_others, Named, Parameter};

const HINTS: [(&str, &str); 4] = [
    ("read_only", "readOnlyHint"),
    ("destructive", "destructiveHint"),
    ("idempotent", "idempotentHint"),
    ("open_world", "openWorldHint"),
];

/// What the attributes of a method say that it is, without that attribute from now on.
pub fn registration(method: &mut ImplItemFn) -> Result<Option<TokenStream>> {
    let kinds = ["tool", "resource", "prompt", "describe"];
    let is_one = |attribute: &Attribute| kinds.iter().any(|kind| is(attribute, kind));
    let Some(at) = method.attrs.iter().position(is_one) else { return Ok(None) };
    let attribute = method.attrs.remove(at);
    if let Some(other) = method.attrs.iter().find(|attribute| is_one(attribute)) {
        return Err(Error::new_spanned(other, "a method is one component: write another one for this"));
    }
    if let Some(word) = &method.sig.asyncness {
        return Err(Error::new_spanned(word, "a method may block, and has a thread while it does: leave `async` out"));
    }
    Ok(Some(if is(&attribute, "tool") {
        tool(&attribute, method)?
    } else if is(&attribute, "resource") {
        resource(&attribute, method)?
    } else if is(&attribute, "prompt") {
        prompt(&attribute, method)?
    } else {
        let name = &method.sig.ident;
        quote!(::mcp_plugin::export::IntoDone::into_done(self.#name(components))?;)
    }))
}

/// What the attributes of a method say that it is told, without them from now on.
pub fn told_of(method: &mut ImplItemFn) -> Vec<&'static str> {
    let mut kinds = vec!["on_subscribed", "on_unsubscribed"];
    kinds.retain(|kind| method.attrs.iter().any(|attribute| is(attribute, kind)));
    method.attrs.retain(|attribute| !kinds.iter().any(|kind| is(attribute, kind)));
    kinds
}

// With the crate's name before it, or without.
fn is(attribute: &Attribute, kind: &str) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == kind)
}

// The name of the option, or the method's.
fn name_of(options: &Options, method: &ImplItemFn) -> Result<TokenStream> {
    let name = plain(&method.sig.ident);
    Ok(options.value("name")?.map_or_else(|| quote!(#name), |name| quote!(#name)))
}

// `plugin.NAME(...)`, with these in place of the parameters.
fn call(method: &ImplItemFn, arguments: &[TokenStream]) -> TokenStream {
    let name = &method.sig.ident;
    if method.sig.receiver().is_some() {
        quote!(plugin.#name(#(#arguments),*))
    } else {
        quote!(Self::#name(#(#arguments),*))
    }
}

fn return_type(method: &ImplItemFn) -> TokenStream {
    match &method.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, class) => quote!(#class),
    }
}

fn tool(attribute: &Attribute, method: &mut ImplItemFn) -> Result<TokenStream> {
    let mut known = vec!["name", "title", "description", "tags", "timeout"];
    known.extend(HINTS.map(|(option, _)| option));
    let options = Options::of(attribute, &known)?;
    let parameters = parameters_of(&mut method.sig)?;
    let (name, said) = (name_of(&options, method)?, said(&options, &method.attrs)?);
    let hints = HINTS.iter().filter_map(|(option, hint)| {
        let value = options.flag(option)?;
        Some(quote!(.hint(#hint, #value)))
    });
    let (class, definition) = arguments_type(&parameters, method)?;
    let given = parameters.iter().map(|parameter| match parameter {
        Parameter::Context => quote!(context),
        Parameter::All(_) => quote!(::mcp_plugin::Parameters(arguments)),
        Parameter::Named(Named { name, .. }) => quote!(arguments.#name),
    });
    let (call, returned) = (call(method, &given.collect::<Vec<_>>()), return_type(method));
    // A constant with a name, because "cargo check" does not look at one without; at the place of what may be wrong.
    let timeout = duration(&options, "timeout")?.map(|time| {
        let checked = quote_spanned!(time.span()=> ::mcp_plugin::export::timeout(#time));
        quote!(.timeout({ const LIMIT: ::core::time::Duration = #checked; LIMIT }))
    });
    let tool = quote!(::mcp_plugin::Tool::new(#name) #said #(#hints)* #timeout);
    Ok(quote! {{
        #definition
        components.tool(
            #tool
                .input_schema(::mcp_plugin::input_schema::<#class>())
                .output_schema(<#returned as ::mcp_plugin::IntoToolResult>::output_schema()),
            |plugin: &Self, arguments, context: &::mcp_plugin::Context| {
                let _ = (plugin, context);
                let arguments: #class = ::mcp_plugin::export::arguments(arguments)?;
                let _ = &arguments;
                ::mcp_plugin::IntoToolResult::into_tool_result(#call)
            },
        );
    }})
}

// The type of all arguments, and its definition, if it is made of the parameters.
fn arguments_type(parameters: &[Parameter], method: &ImplItemFn) -> Result<(TokenStream, TokenStream)> {
    let named = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Named(named) => Some(named),
        _ => None,
    });
    let named: Vec<_> = named.collect();
    let mut all = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::All(class) => Some(class),
        _ => None,
    });
    if let Some(class) = all.next() {
        if all.next().is_some() || !named.is_empty() {
            return Err(Error::new_spanned(
                &method.sig,
                "Parameters<T> are all arguments: let there be none beside it",
            ));
        }
        return Ok((quote!(<#class as ::mcp_plugin::export::All>::Arguments), quote!()));
    }
    // A misspelt argument is a mistake to tell the model about.
    let strict = (!named.iter().any(|each| is_flattened(each))).then(|| quote!(#[serde(deny_unknown_fields)]));
    let mut fields = Vec::new();
    let mut defaults = Vec::new();
    for each in named {
        let (field, default) = field(each)?;
        fields.push(field);
        defaults.extend(default);
    }
    let definition = quote! {
        #(#defaults)*
        #[derive(::mcp_plugin::serde::Deserialize, ::mcp_plugin::schemars::JsonSchema)]
        #[serde(crate = "::mcp_plugin::serde")]
        #strict
        #[schemars(crate = "::mcp_plugin::schemars")]
        struct Arguments { #(#fields),* }
    };
    Ok((quote!(Arguments), definition))
}

// Whether it is `#[serde(flatten)]`, and so takes what no other parameter does.
fn is_flattened(Named { attributes, .. }: &Named) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("serde")).any(|attribute| {
        let Meta::List(said) = &attribute.meta else { return false };
        said.tokens.clone().into_iter().any(|token| token.to_string() == "flatten")
    })
}

// A parameter as a field, and the function that returns its default, if it has one.
fn field(Named { name, attributes, class }: &Named) -> Result<(TokenStream, Option<TokenStream>)> {
    let (own, others): (Vec<_>, Vec<_>) = attributes.iter().partition(|attribute| attribute.path().is_ident("arg"));
    let mut default = None;
    for attribute in own {
        default = Options::of(attribute, &["default"])?.value("default")?.cloned();
    }
    let field = quote!(#(#others)* #name: #class);
    let Some(value) = default else { return Ok((field, None)) };
    let function = format_ident!("default_of_{}", plain(name));
    let path = function.to_string();
    Ok((quote!(#[serde(default = #path)] #field), Some(quote!(fn #function() -> #class { #value }))))
}

fn resource(attribute: &Attribute, method: &mut ImplItemFn) -> Result<TokenStream> {
    let options = Options::of(attribute, &["uri", "name", "title", "description", "tags", "mime_type"])?;
    let Some(uri) = options.value("uri")? else {
        return Err(Error::new_spanned(attribute, "a resource needs a URI: #[resource(uri = \"...\")]"));
    };
    let parameters = parameters_of(&mut method.sig)?;
    let (name, said) = (name_of(&options, method)?, said(&options, &method.attrs)?);
    let mime_type = options.value("mime_type")?.map(|mime_type| quote!(.mime_type(#mime_type)));
    let call = call(method, &texts(&parameters)?);
    let resource = quote!(::mcp_plugin::Resource::new(#uri, #name) #said #mime_type);
    let variables = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Named(Named { name, .. }) => Some(plain(name)),
        _ => None,
    });
    let resource = quote!(::mcp_plugin::export::with_variables(#resource, &[#(#variables),*])?);
    let completions = completions(&parameters)?;
    Ok(quote! {
        components.resource(#resource, |plugin: &Self, texts, context: &::mcp_plugin::Context| {
            let _ = (plugin, context, &texts);
            ::mcp_plugin::IntoContents::into_contents(#call)
        }) #completions;
    })
}

fn prompt(attribute: &Attribute, method: &mut ImplItemFn) -> Result<TokenStream> {
    let options = Options::of(attribute, &["name", "title", "description", "tags"])?;
    let parameters = parameters_of(&mut method.sig)?;
    let (name, said) = (name_of(&options, method)?, said(&options, &method.attrs)?);
    let arguments = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Named(named) => Some(prompt_argument(named)),
        _ => None,
    });
    let prompt = quote!(::mcp_plugin::Prompt::new(#name) #said #(#arguments)*);
    let call = call(method, &texts(&parameters)?);
    let completions = completions(&parameters)?;
    Ok(quote! {
        components.prompt(#prompt, |plugin: &Self, texts, context: &::mcp_plugin::Context| {
            let _ = (plugin, context, &texts);
            ::mcp_plugin::IntoMessages::into_messages(#call)
        }) #completions;
    })
}

fn prompt_argument(Named { name, attributes, class }: &Named) -> TokenStream {
    let name = plain(name);
    let description = words(attributes).unwrap_or_else(|| syn::parse_quote!(""));
    let required = quote!(<#class as ::mcp_plugin::FromText>::REQUIRED);
    quote!(.argument(::mcp_plugin::PromptArgument::new(#name, #description, #required)))
}

// What `#[arg(complete = ...)]` offers for each: a list of texts, or what a method returns.
fn completions(parameters: &[Parameter]) -> Result<TokenStream> {
    let mut completions = TokenStream::new();
    for parameter in parameters {
        let Parameter::Named(Named { name, attributes, .. }) = parameter else { continue };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("arg")) {
            let options = Options::of(attribute, &["complete"])?;
            let name = plain(name);
            completions.extend(match options.value("complete")? {
                None => quote!(),
                Some(list @ Expr::Array(_)) => quote!(.complete_from(#name, #list)),
                Some(function @ (Expr::Path(_) | Expr::Closure(_))) => quote!(.complete(#name, #function)),
                Some(other) => {
                    let message = "`complete` is a list of texts, or a method that returns one: \
                                   complete = [\"small\", \"large\"] or complete = Self::sizes";
                    return Err(Error::new_spanned(other, message));
                }
            });
        }
    }
    Ok(completions)
}

const NO_SCHEMA: &str = "only an argument of a tool has a schema: leave this attribute out, and let the method refuse \
                         what does not fit, by Error::invalid_params";

// What is given to a method whose arguments are texts.
fn texts(parameters: &[Parameter]) -> Result<Vec<TokenStream>> {
    let texts = parameters.iter().map(|parameter| match parameter {
        Parameter::Context => Ok(quote!(context)),
        Parameter::Named(Named { name, attributes, .. }) => {
            refuse_others(&["doc", "arg"], attributes, NO_SCHEMA)?;
            Ok(text(name))
        }
        Parameter::All(class) => Err(Error::new_spanned(class, "only a tool has Parameters: name each argument")),
    });
    texts.collect()
}

fn text(name: &Ident) -> TokenStream {
    let name = plain(name);
    quote!(texts.get(#name)?)
}
