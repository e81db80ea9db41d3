use std::collections::BTreeMap;

use crate::{Context, Error, Variables};

type Completer<P> = Box<dyn Fn(&P, &str, &Variables, &Context) -> Result<Vec<String>, Error> + Send + Sync>;

/// Of all prompts and templates, by where they belong, as `ref` and `argument` of a call name it: the type of the
/// reference, the name of the prompt or the template itself, and its argument or variable.
pub(crate) type Completers<P> = BTreeMap<(&'static str, String, String), Completer<P>>;

/// What [`Components::prompt`](crate::Components::prompt) and [`Components::resource`](crate::Components::resource) have
/// added, to say what is offered while somebody fills in its arguments or variables.
pub struct Completable<'a, P> {
    pub(crate) reference: &'static str,
    pub(crate) key: String,
    pub(crate) parameters: Vec<String>,
    pub(crate) completers: &'a mut Completers<P>,
}

impl<P> Completable<'_, P> {
    /// `handler` is given what has been typed so far, and what has been chosen for the others. It returns the best values
    /// first, of which a client is told 100, and cannot ask the client. Panics if there is no such argument or variable.
    pub fn complete<R: IntoValues>(
        self,
        parameter: &str,
        handler: impl Fn(&P, &str, &Variables, &Context) -> R + Send + Sync + 'static,
    ) -> Self {
        let is_there = self.parameters.iter().any(|each| each == parameter);
        assert!(is_there, "{:?} has no argument or variable {parameter:?} to complete", self.key);
        let place = (self.reference, self.key.clone(), parameter.to_owned());
        let completer: Completer<P> =
            Box::new(move |plugin, typed, chosen, context| handler(plugin, typed, chosen, context).into_values());
        self.completers.insert(place, completer);
        self
    }

    /// Those of these values that begin with what has been typed; ASCII letters are the same in either case. Panics as
    /// [`complete`](Self::complete) does.
    pub fn complete_from<T: Into<String>>(self, parameter: &str, values: impl IntoIterator<Item = T>) -> Self {
        let values = values.into_iter().map(Into::into).collect::<Vec<String>>();
        self.complete(parameter, move |_, typed, _, _| {
            values.iter().filter(|value| begins_with(value, typed)).cloned().collect::<Vec<_>>()
        })
    }
}

fn begins_with(value: &str, typed: &str) -> bool {
    value.as_bytes().get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed.as_bytes()))
}

/// What a completion may return: texts, and a [`Result`] of these.
pub trait IntoValues {
    /// The values that are offered.
    fn into_values(self) -> Result<Vec<String>, Error>;
}

impl<T: Into<String>> IntoValues for Vec<T> {
    fn into_values(self) -> Result<Vec<String>, Error> {
        Ok(self.into_iter().map(Into::into).collect())
    }
}

impl<T: IntoValues, E: Into<Error>> IntoValues for Result<T, E> {
    fn into_values(self) -> Result<Vec<String>, Error> {
        self.map_err(Into::into)?.into_values()
    }
}
