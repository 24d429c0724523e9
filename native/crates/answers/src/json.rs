//! The two forms of hexadecimal text in answers.

use rhizome_primitives::hex;

/// Appends bytes as DATA: every digit, without `0x`.
pub(crate) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    // The buffer has exactly the length that is needed, so that this cannot fail.
    let _ = hex::encode_to_slice(bytes, &mut out[start..]);
}

/// Appends a number as QUANTITY digits: minimal, `0` for zero, without `0x`.
pub(crate) fn push_number(out: &mut Vec<u8>, value: u64) {
    let digits = 16 - (value | 1).leading_zeros() as usize / 4;
    for digit in (0..digits).rev() {
        let nibble = (value >> (4 * digit)) & 0xf;
        out.push(b"0123456789abcdef"[nibble as usize]);
    }
}

/// Appends an unsigned big-endian number of any length as QUANTITY digits.
pub(crate) fn push_number_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    match without_zeros(bytes) {
        [] => out.push(b'0'),
        [first, rest @ ..] => {
            push_number(out, u64::from(*first));
            push_hex(out, rest);
        }
    }
}

/// The significant bytes of an unsigned big-endian number.
pub(crate) fn without_zeros(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_minimal() {
        for value in [0, 1, 9, 15, 16, 255, 256, 0xfff, 0x1000, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, value);
            let expected = format!("{value:x}").into_bytes();
            assert_eq!(out, expected);
            let mut out = Vec::new();
            push_number_bytes(&mut out, &[&[0; 3][..], &value.to_be_bytes()].concat());
            assert_eq!(out, expected);
        }
    }
}
