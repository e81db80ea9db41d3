//! Asking the client. A handler is not kept waiting: it is left with an error that holds the question, and run again
//! with the answer, which the same question then has at once.
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{json, Value};

use crate::convert::from_json;
use crate::error::Kind;
use crate::{schema, Context, Error};

/// What became of a question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user's answer.
    Accepted(T),
    /// The user does not want to answer.
    Declined,
    /// The user closed the question.
    Cancelled,
}

impl Context {
    /// Asks the user to fill in a form, whose fields are the members of `T`: texts, numbers, booleans, enums, and `Vec`
    /// of enums, where several may be chosen. The comment of a variant is what the user reads of it. `key` is the
    /// question's name among those of this call.
    ///
    /// ```
    /// # use mcp_plugin::{plugin, Context, Elicited, Error, schemars, serde};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Answer {
    ///     city: String,
    /// }
    /// # #[derive(Default)] struct Asking;
    /// # #[plugin(name = "asking", version = "1.0.0")]
    /// # impl Asking {
    /// #[tool]
    /// fn weather(&self, context: &Context) -> Result<String, Error> {
    ///     match context.elicit("where", "Where are you?")? {
    ///         Elicited::Accepted(Answer { city }) => Ok(format!("It rains in {city}.")),
    ///         _ => Ok("It rains somewhere.".into()),
    ///     }
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// Without an answer yet the handler must be left, which `?` does. It is run again from its beginning when there is
    /// one, so ask before doing what should be done once.
    pub fn elicit<T: JsonSchema + DeserializeOwned>(&self, key: &str, message: &str) -> Result<Elicited<T>, Error> {
        let params = json!({ "mode": "form", "message": message, "requestedSchema": schema::form::<T>() });
        match self.elicited(key, params)? {
            Elicited::Accepted(answer) => {
                let content = answer.get("content").cloned().unwrap_or_else(|| json!({}));
                let answer = from_json(content)
                    .map_err(|error| Error::invalid_params(format!("the answer to \"{key}\": {error}")))?;
                Ok(Elicited::Accepted(answer))
            }
            Elicited::Declined => Ok(Elicited::Declined),
            Elicited::Cancelled => Ok(Elicited::Cancelled),
        }
    }

    /// Asks the user to do something on a web page, as [`Context::elicit`] asks for answers. Accepted means that the
    /// page was opened.
    pub fn elicit_url(&self, key: &str, message: &str, url: &str) -> Result<Elicited<()>, Error> {
        Ok(match self.elicited(key, json!({ "mode": "url", "message": message, "url": url }))? {
            Elicited::Accepted(_) => Elicited::Accepted(()),
            Elicited::Declined => Elicited::Declined,
            Elicited::Cancelled => Elicited::Cancelled,
        })
    }

    fn elicited(&self, key: &str, params: Value) -> Result<Elicited<Value>, Error> {
        let answer = self.ask(key, "elicitation/create", params)?;
        Ok(match answer["action"].as_str() {
            Some("accept") => Elicited::Accepted(answer),
            Some("decline") => Elicited::Declined,
            _ => Elicited::Cancelled,
        })
    }

    /// Sends any request to the client, such as `sampling/createMessage` or `roots/list`, and returns its result, both
    /// in the protocol's own shape. Its errors are those of [`Context::elicit`].
    pub fn ask(&self, key: &str, method: &str, params: Value) -> Result<Value, Error> {
        if let Some(answer) = self.answers.get(key) {
            return Ok(answer.clone());
        }
        self.note_asked(key);
        Err(Error(Kind::InputRequired(json!({ key: { "method": method, "params": params } }))))
    }
}
