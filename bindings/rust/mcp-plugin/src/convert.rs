use crate::Error;

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
    ($what:literal: $($type:ty),+) => {
        $(impl FromText for $type {
            fn from_text(name: &str, text: Option<&str>) -> Result<Self, Error> {
                let text = given(name, text)?;
                let wrong = |_| Error::invalid_params(format!("\"{name}\" must be {}, not \"{text}\"", $what));
                text.parse().map_err(wrong)
            }
        })+
    };
}

parsed!("an integer within bounds": i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
parsed!("a number": f32, f64);
parsed!("true or false": bool);
