use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{json, Value};

/// The JSON Schema of what `T` is read from: of the arguments of a tool.
pub fn input_schema<T: JsonSchema>() -> Value {
    schema_of::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The JSON Schema of a result `T`, as a tool's structured content has it: that of an object, which has `T` as its
/// member `result` where `T` is none. None where its type is not known.
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let schema = schema_of::<T>(SchemaSettings::draft2020_12().for_serialize());
    match schema.get("type") {
        None => None,
        Some(name) if name == "object" => Some(schema),
        Some(_) => Some(json!({ "type": "object", "properties": { "result": schema }, "required": ["result"] })),
    }
}

/// The schema of a form, whose fields have one type each.
pub(crate) fn form<T: JsonSchema>() -> Value {
    let mut schema = input_schema::<T>();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()).filter_map(Value::as_object_mut) {
        // Of an Option.
        if let Some(name) = field.get("type").and_then(Value::as_array).and_then(|names| names.first()).cloned() {
            field.insert("type".into(), name);
        }
    }
    schema
}

// The names of Rust's types of numbers are no formats of JSON Schema, and their bounds are better said: the host refuses
// what is beyond them in clear words.
fn without_formats_of_numbers(schema: &mut Schema) {
    let Some(Value::String(format)) = schema.get("format") else { return };
    let bounds = match format.as_str() {
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "uint32" => (Some(0.into()), Some(u32::MAX.into())),
        "int8" | "uint8" | "int16" | "uint16" | "int64" | "uint64" | "int" | "uint" | "float" | "double" => {
            (None, None)
        }
        _ => return,
    };
    schema.remove("format");
    for (keyword, bound) in [("minimum", bounds.0), ("maximum", bounds.1)] {
        if let (Some(bound), None) = (bound, schema.get(keyword)) {
            schema.insert(keyword.into(), Value::Number(bound));
        }
    }
}

// Subschemas are where they are used, because not every client follows references.
fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.transforms.push(Box::new(RecursiveTransform(without_formats_of_numbers)));
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title"); // a Rust type's name says nothing to a model
    schema.into()
}
