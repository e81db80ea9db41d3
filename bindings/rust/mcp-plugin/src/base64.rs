//! Bytes as base64 text: RFC 4648 section 4.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit > group.len() {
                text.push('=');
            } else {
                text.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    // Section 10.
    #[test]
    fn the_examples_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), encoded);
        assert_eq!(base64(&[0xFB, 0xFF]), "+/8=");
    }
}
