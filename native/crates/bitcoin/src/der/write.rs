//! Writes signatures in DER.

use super::object::CONSTRUCTED;
use super::tag;

/// Without leading zeros.
pub(crate) fn trimmed(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}

/// Appends a number in its shortest form.
pub(crate) fn write_integer(out: &mut Vec<u8>, number: &[u8]) {
    let number = trimmed(number);
    let pad = number.first().is_none_or(|first| first & 0x80 != 0);
    out.push(tag::INTEGER as u8);
    write_length(out, number.len() + usize::from(pad));
    if pad {
        out.push(0);
    }
    out.extend_from_slice(number);
}

/// A sequence around contents.
pub(crate) fn sequence(contents: &[u8]) -> Vec<u8> {
    let mut out = vec![CONSTRUCTED | tag::SEQUENCE as u8];
    write_length(&mut out, contents.len());
    out.extend_from_slice(contents);
    out
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    match length {
        0..=0x7f => out.push(length as u8),
        _ => {
            let bytes = (length as u64).to_be_bytes();
            let bytes = trimmed(&bytes);
            out.push(0x80 | bytes.len() as u8);
            out.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_shortest() {
        let written = |number: &[u8]| {
            let mut out = Vec::new();
            write_integer(&mut out, number);
            out
        };
        assert_eq!(written(&[]), [2, 1, 0]);
        assert_eq!(written(&[0, 0, 0x80]), [2, 2, 0, 0x80]);
        assert_eq!(written(&[0x7f]), [2, 1, 0x7f]);
        assert_eq!(written(&[1; 200])[..4], [2, 0x81, 200, 1]);
    }
}
