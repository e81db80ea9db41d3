use std::fmt;

use serde_json::{json, Value};

use crate::sys;

/// Why a call failed, or does not end yet.
///
/// Of a tool, [`Error::new`] and whatever else `?` makes of an [`std::error::Error`] are a *tool error*: a result for
/// the model to read, which may try again; where the operator has `"errors": "masked"`, it reads those of the former
/// alone. The others are errors of the protocol, for the client. Of a resource or a prompt all are errors of the
/// protocol: [`Error::new`] has the code 1, which is not masked, and what else `?` makes of an error is -32603.
#[derive(Debug)]
pub struct Error(pub(crate) Kind);

#[derive(Debug)]
pub(crate) enum Kind {
    Failure(String),
    // A failure in words that nobody has meant for its reader.
    Unexpected(String),
    Protocol { code: i32, message: String, data: Option<Value> },
    // No failure: the client is to be asked, {name: {"method", "params"}}, and the handler is to be run again.
    InputRequired(Value),
}

pub(crate) const INVALID_PARAMS: i32 = -32602;
pub(crate) const INTERNAL_ERROR: i32 = -32603;
// Of what is no tool and fails in words that are meant for whoever asked: hosts mask those of an internal error.
// JSON-RPC leaves it to its users (section 5.1).
const FAILED_AS_TOLD: i32 = 1;

impl Error {
    /// A failure in words that its reader can do something with.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Kind::Failure(message.into()))
    }

    /// What was asked for makes no sense: -32602.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::protocol(INVALID_PARAMS, message)
    }

    /// The plugin cannot do what it should: -32603.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::protocol(INTERNAL_ERROR, message)
    }

    /// There is no such resource: -32002.
    pub fn resource_not_found(uri: &str) -> Self {
        Self::protocol(-32002, format!("Resource not found: {uri}")).with_data(json!({ "uri": uri }))
    }

    /// A JSON-RPC error with a code of its own.
    pub fn protocol(code: i32, message: impl Into<String>) -> Self {
        Self(Kind::Protocol { code, message: message.into(), data: None })
    }

    /// The same error of the protocol, with details for programs; no other kind has them.
    pub fn with_data(mut self, value: Value) -> Self {
        if let Kind::Protocol { data, .. } = &mut self.0 {
            *data = Some(value);
        }
        self
    }

    /// Its words.
    pub fn message(&self) -> &str {
        match &self.0 {
            Kind::Failure(message) | Kind::Unexpected(message) | Kind::Protocol { message, .. } => message,
            Kind::InputRequired(_) => "the client is asked: pass this error on with `?`",
        }
    }

    pub(crate) fn unexpected(message: impl Into<String>) -> Self {
        Self(Kind::Unexpected(message.into()))
    }

    pub(crate) fn is_input_required(&self) -> bool {
        matches!(self.0, Kind::InputRequired(_))
    }

    /// How a call ends with it: an outcome of the contract, and its JSON.
    pub(crate) fn answer(self) -> (i32, Value) {
        match self.0 {
            Kind::Failure(message) => Self::protocol(FAILED_AS_TOLD, message).answer(),
            Kind::Unexpected(message) => Self::internal(message).answer(),
            Kind::Protocol { code, message, data } => {
                let mut error = json!({ "code": code, "message": message });
                if let Some(data) = data {
                    error["data"] = data;
                }
                (sys::MCP_OUTCOME_ERROR, error)
            }
            Kind::InputRequired(requests) => (sys::MCP_OUTCOME_INPUT_REQUIRED, json!({ "inputRequests": requests })),
        }
    }
}

// Not an std::error::Error itself, which is what allows this; as in crates that collect errors of all kinds.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Self::unexpected(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}
