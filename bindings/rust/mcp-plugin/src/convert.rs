use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::Error;

/// As [`serde_json::from_value`], but that 3.0 is an integer, too, as JSON Schema has it. The error is about what was given.
pub(crate) fn from_json<T: DeserializeOwned>(mut value: Value) -> Result<T, serde_json::Error> {
    T::deserialize(&value).or_else(|error| {
        make_integers(&mut value);
        T::deserialize(&value).map_err(|_| error)
    })
}

// Beyond 2^53 a float may stand for another integer than the one that was written.
fn make_integers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(make_integers),
        Value::Object(members) => members.values_mut().for_each(make_integers),
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0);
            if let Some(whole) = float {
                *value = (whole as i64).into();
            }
        }
        _ => {}
    }
}

/// What a variable of a resource template, or an argument of a prompt, may be, which are texts: [`String`], numbers,
/// `bool`, and an [`Option`] of these where it need not be given.
pub trait FromText: Sized {
    /// Whether it must be given.
    const REQUIRED: bool = true;

    /// The value of what is called `name` and was given as `text`.
    fn from_text(name: &str, text: Option<&str>) -> Result<Self, Error>;
}

fn given<'a>(name: &str, text: Option<&'a str>) -> Result<&'a str, Error> {
    text.ok_or_else(|| Error::invalid_params(format!("\"{name}\" is missing")))
}

impl FromText for String {
    fn from_text(name: &str, text: Option<&str>) -> Result<Self, Error> {
        given(name, text).map(Into::into)
    }
}

impl<T: FromText> FromText for Option<T> {
    const REQUIRED: bool = false;

    fn from_text(name: &str, text: Option<&str>) -> Result<Self, Error> {
        text.map(|text| T::from_text(name, Some(text))).transpose()
    }
}

macro_rules! parsed {
    ($what:literal, $is_written_so:expr; $($type:ty),+) => {
        $(impl FromText for $type {
            fn from_text(name: &str, text: Option<&str>) -> Result<Self, Error> {
                let text = given(name, text)?;
                let is_written_so: fn(&Self, &str) -> bool = $is_written_so;
                match text.parse() {
                    Ok(value) if is_written_so(&value, text) => Ok(value),
                    _ => Err(Error::invalid_params(format!("\"{name}\" must be {}, not \"{text}\"", $what))),
                }
            }
        })+
    };
}

// In one spelling, so that what a rule says of one URI is not passed by another one.
parsed!("an integer within bounds", |value, text| value.to_string() == text;
    i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
// As JSON writes it: the parser takes NaN, inf, +1 and .5, too.
parsed!("a number", |value, text| value.is_finite() && serde_json::from_str::<IgnoredAny>(text).is_ok(); f32, f64);
parsed!("true or false", |_, _| true; bool);
