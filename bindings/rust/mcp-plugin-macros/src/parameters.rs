//! The parameters of a method that is a component.
use syn::{Attribute, Error, FnArg, Ident, Pat, Result, Signature, Type};

pub enum Parameter {
    /// `&Context`.
    Context,
    /// `Parameters<T>`: its type.
    All(Box<Type>),
    Named(Named),
}

pub struct Named {
    pub name: Ident,
    pub attributes: Vec<Attribute>,
    pub class: Box<Type>,
}

impl Parameter {
    fn of(argument: &mut FnArg) -> Result<Option<Self>> {
        let FnArg::Typed(argument) = argument else { return Ok(None) };
        // They are of no use to the compiler where they stand.
        let attributes = std::mem::take(&mut argument.attrs);
        if let Type::Reference(reference) = &*argument.ty {
            if last_word(&reference.elem).is_some_and(|word| word == "Context") {
                refuse_others(&["doc"], &attributes, "&Context is no argument: leave this attribute out")?;
                return Ok(Some(Self::Context));
            }
            let message = "an argument is given away: take String for &str, and Vec for a slice";
            return Err(Error::new_spanned(&argument.ty, message));
        }
        if last_word(&argument.ty).is_some_and(|word| word == "Parameters") {
            let message = "Parameters<T> are all arguments: put this attribute on a field of T";
            refuse_others(&["doc"], &attributes, message)?;
            return Ok(Some(Self::All(argument.ty.clone())));
        }
        let Pat::Ident(pattern) = &*argument.pat else {
            return Err(Error::new_spanned(&argument.pat, "an argument needs a name"));
        };
        let class = argument.ty.clone();
        Ok(Some(Self::Named(Named { name: pattern.ident.clone(), attributes, class })))
    }
}

/// All but `self`, without their attributes from now on.
pub fn parameters_of(signature: &mut Signature) -> Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for argument in &mut signature.inputs {
        parameters.extend(Parameter::of(argument)?);
    }
    Ok(parameters)
}

/// Refuses attributes other than these, because nothing would come of them.
pub fn refuse_others(known: &[&str], attributes: &[Attribute], message: &str) -> Result<()> {
    let is_known = |attribute: &&Attribute| known.iter().any(|each| attribute.path().is_ident(each));
    match attributes.iter().find(|attribute| !is_known(attribute)) {
        Some(other) => Err(Error::new_spanned(other, message)),
        None => Ok(()),
    }
}

/// The name that a caller uses, without the `r#` of a keyword.
pub fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(Into::into).unwrap_or(name)
}

fn last_word(class: &Type) -> Option<&Ident> {
    let Type::Path(path) = class else { return None };
    path.path.segments.last().map(|segment| &segment.ident)
}
