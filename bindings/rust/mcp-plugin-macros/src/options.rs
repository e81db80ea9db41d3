//! What stands within the parentheses of an attribute: `name = "forecast", read_only`.
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Result, Token};

#[derive(Default)]
pub struct Options(Vec<(Ident, Option<Expr>)>);

struct Choice(Ident, Option<Expr>);

impl Parse for Choice {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self(name, value))
    }
}

impl Parse for Options {
    fn parse(input: ParseStream) -> Result<Self> {
        let choices = Punctuated::<Choice, Token![,]>::parse_terminated(input)?;
        Ok(Self(choices.into_iter().map(|Choice(name, value)| (name, value)).collect()))
    }
}

impl Options {
    /// Those of `#[name]` or `#[name(...)]`, which is none other than those that are known.
    pub fn of(attribute: &Attribute, known: &[&str]) -> Result<Self> {
        let options = match &attribute.meta {
            Meta::Path(_) => Self::default(),
            _ => attribute.parse_args()?,
        };
        options.known(known)
    }

    pub fn known(self, known: &[&str]) -> Result<Self> {
        for (name, _) in &self.0 {
            if !known.iter().any(|each| name == each) {
                let message = format!("there is no option `{name}` here; there are: {}", known.join(", "));
                return Err(Error::new(name.span(), message));
            }
        }
        Ok(self)
    }

    /// The value of an option that needs one.
    pub fn value(&self, name: &str) -> Result<Option<&Expr>> {
        match self.find(name) {
            Some((_, Some(value))) => Ok(Some(value)),
            Some((option, None)) => Err(Error::new(option.span(), format!("`{name}` needs a value: {name} = ..."))),
            None => Ok(None),
        }
    }

    /// The value of a hint, which is true if it stands alone.
    pub fn flag(&self, name: &str) -> Option<Expr> {
        let (_, value) = self.find(name)?;
        Some(value.clone().unwrap_or_else(|| syn::parse_quote!(true)))
    }

    fn find(&self, name: &str) -> Option<&(Ident, Option<Expr>)> {
        self.0.iter().find(|(option, _)| option == name)
    }
}

/// The words of a documentation comment, as a literal; none without.
pub fn words(attributes: &[Attribute]) -> Option<Expr> {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &doc.value else { continue };
        lines.extend(line.value().lines().map(|line| line.trim().to_owned()));
    }
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then(|| syn::parse_quote!(#text))
}

/// The value of an option that is a `Duration`; what is written as a number or a text cannot be one.
pub fn duration<'a>(options: &'a Options, name: &str) -> Result<Option<&'a Expr>> {
    let value = options.value(name)?;
    if let Some(Expr::Lit(literal)) = value {
        let message = format!("`{name}` is a Duration: {name} = Duration::from_secs(30)");
        return Err(Error::new_spanned(literal, message));
    }
    Ok(value)
}

// The option `tags`: texts of the characters that a tool's name may have, by which an operator's rules choose.
fn tags(options: &Options) -> Result<Vec<LitStr>> {
    let Some(value) = options.value("tags")? else { return Ok(Vec::new()) };
    let Expr::Array(list) = value else { return Err(no_tag(value, "`tags` is a list of texts")) };
    let tag = |element: &Expr| match element {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_word(&text.value()) => Ok(text.clone()),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            Err(no_tag(text, "a tag is 1 to 128 characters of A-Z a-z 0-9 _ . -"))
        }
        _ => Err(no_tag(element, "a tag is a text")),
    };
    list.elems.iter().map(tag).collect()
}

fn no_tag(found: &impl ToTokens, what: &str) -> Error {
    Error::new_spanned(found, format!("{what}: tags = [\"slow\", \"internal\"]"))
}

fn is_word(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

/// `.description(...)`, of the option or the comment, `.title(...)` and `.tags(...)`.
pub fn said(options: &Options, attributes: &[Attribute]) -> Result<proc_macro2::TokenStream> {
    let title = options.value("title")?.map(|title| quote!(.title(#title)));
    let description = options.value("description")?.cloned().or_else(|| words(attributes));
    let description = description.map(|description| quote!(.description(#description)));
    let tags = tags(options)?;
    let tags = (!tags.is_empty()).then(|| quote!(.tags([#(#tags),*])));
    Ok(quote!(#title #description #tags))
}
