use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{json, Map, Value};

use crate::components::set_tags;
use crate::error::Kind;
use crate::{export, schema, sys, Content, Error};

/// What is said of a tool. [`tool`](macro@crate::tool) makes it of a method.
pub struct Tool(pub(crate) Map<String, Value>);

impl Tool {
    /// A tool without arguments.
    pub fn new(name: &str) -> Self {
        let mut members = Map::new();
        members.insert("name".into(), name.into());
        Self(members).with("inputSchema", json!({ "type": "object" }))
    }

    /// Any member of the protocol's `Tool`.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.0.insert(member.into(), value.into());
        self
    }

    /// What it does, for the model.
    pub fn description(self, text: &str) -> Self {
        self.with("description", text)
    }

    /// Its name for people.
    pub fn title(self, text: &str) -> Self {
        self.with("title", text)
    }

    /// What its arguments are; the host refuses others.
    pub fn input_schema(self, schema: Value) -> Self {
        self.with("inputSchema", schema)
    }

    /// What its structured content is, if it has any.
    pub fn output_schema(self, schema: Option<Value>) -> Self {
        match schema {
            Some(schema) => self.with("outputSchema", schema),
            None => self,
        }
    }

    /// One of the protocol's hints on what it does: `readOnlyHint`, `destructiveHint`, `idempotentHint` and
    /// `openWorldHint`.
    pub fn hint(mut self, name: &str, value: bool) -> Self {
        self.0.entry("annotations").or_insert_with(|| json!({}))[name] = value.into();
        self
    }

    /// How long a call of it may take, where that is less than the operator allows the plugin's calls: then it is
    /// cancelled with [`CancelReason::Deadline`](crate::CancelReason::Deadline). Panics if it is not from 1 ms to 365 days.
    pub fn timeout(mut self, time: Duration) -> Self {
        let milliseconds = export::timeout(time).as_millis() as u64;
        self.0.entry("execution").or_insert_with(|| json!({}))["timeoutMs"] = milliseconds.into();
        self
    }

    /// Words by which operators and clients choose among tools: 1 to 128 characters of `A-Z a-z 0-9 _ . -` each. Panics
    /// where one is none.
    pub fn tags<'a>(mut self, tags: impl IntoIterator<Item = &'a str>) -> Self {
        set_tags(&mut self.0, tags);
        self
    }

    pub(crate) fn name(&self) -> &str {
        self.0["name"].as_str().unwrap_or_default()
    }
}

/// All arguments of a tool as one type: `fn add(&self, Parameters(wanted): Parameters<Wanted>)`.
pub struct Parameters<T>(pub T);

/// A result as structured content, for programs, and as text. What is not an object is its member `result`: so is the
/// null of an `Option`, whatever its other values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// The result of a tool in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// For the model.
    pub content: Vec<Content>,
    /// For programs: an object.
    pub structured_content: Option<Value>,
    /// Whether it says what went wrong.
    pub is_error: bool,
    /// The result's `_meta`.
    pub meta: Option<Value>,
}

impl ToolResult {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    fn of_json(value: Value) -> Self {
        let text = Self::text(value.to_string());
        let object = if value.is_object() { value } else { json!({ "result": value }) };
        Self { structured_content: Some(object), ..text }
    }

    fn into_json(self) -> Value {
        let mut result = json!({ "content": self.content });
        if let Some(structured) = self.structured_content {
            result["structuredContent"] = structured;
        }
        if self.is_error {
            result["isError"] = true.into();
        }
        if let Some(meta) = self.meta {
            result["_meta"] = meta;
        }
        result
    }
}

/// How a call of a tool ends.
pub(crate) fn answer(result: Result<ToolResult, Error>) -> (i32, Value) {
    match result {
        Ok(result) => (sys::MCP_OUTCOME_RESULT, result.into_json()),
        Err(Error(Kind::Failure(message))) => {
            let result = ToolResult { is_error: true, ..ToolResult::text(message) };
            (sys::MCP_OUTCOME_RESULT, result.into_json())
        }
        Err(Error(Kind::Unexpected(message))) => {
            let meta = Some(json!({ "mcp-plugin-host/unexpected": true }));
            let result = ToolResult { is_error: true, meta, ..ToolResult::text(message) };
            (sys::MCP_OUTCOME_RESULT, result.into_json())
        }
        Err(error) => error.answer(),
    }
}

/// What a method with [`tool`](macro@crate::tool) may return: text, numbers, [`Json`], contents, a [`ToolResult`], and a
/// [`Result`] of these.
pub trait IntoToolResult {
    /// The schema of its structured content, if it has any.
    fn output_schema() -> Option<Value> {
        None
    }

    /// The result that the client is sent.
    fn into_tool_result(self) -> Result<ToolResult, Error>;
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        Ok(self)
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        Ok(ToolResult::text(self))
    }
}

impl IntoToolResult for &str {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        Ok(ToolResult::text(self))
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        Ok(ToolResult::default())
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        vec![self].into_tool_result()
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> Result<ToolResult, Error> {
        Ok(ToolResult { content: self, ..ToolResult::default() })
    }
}

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn output_schema() -> Option<Value> {
        schema::output_schema::<T>()
    }

    fn into_tool_result(self) -> Result<ToolResult, Error> {
        let value = to_json(&self.0).map_err(|error| Error::internal(format!("the result: {error}")))?;
        Ok(ToolResult::of_json(value))
    }
}

// By its text where it has floats: of the f32 0.1 to_value makes 0.10000000149011612.
fn to_json(result: &impl Serialize) -> serde_json::Result<Value> {
    let value = serde_json::to_value(result)?;
    if has_float(&value) {
        serde_json::from_str(&serde_json::to_string(result)?)
    } else {
        Ok(value)
    }
}

fn has_float(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_float),
        Value::Object(members) => members.values().any(has_float),
        _ => value.is_f64(),
    }
}

impl<T: IntoToolResult, E: Into<Error>> IntoToolResult for Result<T, E> {
    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<ToolResult, Error> {
        self.map_err(Into::into)?.into_tool_result()
    }
}

macro_rules! as_json {
    ($is_in_json:expr; $($type:ty),+) => {
        $(impl IntoToolResult for $type {
            fn output_schema() -> Option<Value> {
                Json::<Self>::output_schema()
            }

            fn into_tool_result(self) -> Result<ToolResult, Error> {
                let is_in_json: fn(&Self) -> bool = $is_in_json;
                if !is_in_json(&self) {
                    return Err(Error::internal(format!("the result is {self}, which JSON cannot say")));
                }
                Json(self).into_tool_result()
            }
        })+
    };
}

as_json!(|_| true; bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
as_json!(|number| number.is_finite(); f32, f64); // serde_json would write null
