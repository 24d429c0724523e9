//! Base58 of any length. The time of the `bs58` crate grows with the square of the length, and the Bridge reads
//! addresses from call data for 2 gas per byte.

use num_bigint::BigUint;

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Digits that are converted in one piece: below this length splitting costs more than it saves.
const LEAF_DIGITS: usize = 512;

/// Bytes of a text; None when a character is not a Base58 digit.
#[must_use]
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().map(digit).collect::<Option<Vec<u8>>>()?;
    let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
    let mut bytes = vec![0; zeros];
    let significant = digits.get(zeros..).filter(|digits| !digits.is_empty());
    if let Some(significant) = significant {
        bytes.extend(number(significant).to_bytes_be());
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    const NONE: u8 = u8::MAX;
    const VALUES: [u8; 256] = {
        let mut values = [NONE; 256];
        let mut value = 0;
        while value < ALPHABET.len() {
            values[ALPHABET[value] as usize] = value as u8;
            value += 1;
        }
        values
    };
    Some(VALUES[usize::from(character)]).filter(|&value| value != NONE)
}

/// The number that the digits represent: parts of equal length are combined in pairs, then the pairs of those.
fn number(digits: &[u8]) -> BigUint {
    let leaf = |digits: &[u8]| BigUint::from_radix_be(digits, 58).unwrap_or_default();
    let mut parts: Vec<BigUint> = digits.rchunks(LEAF_DIGITS).map(leaf).collect();
    let mut weight = BigUint::from(58u32).pow(LEAF_DIGITS as u32);
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => high * &weight + low,
                rest => rest.iter().sum(),
            })
            .collect();
        if parts.len() > 1 {
            weight = &weight * &weight;
        }
    }
    parts.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_decode_as_elsewhere() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for length in (0..40).chain([511, 512, 513, 1023, 1024, 1025, 1536, 1537, 5000]) {
            for zeros in [0, 1, 3, length] {
                let text: String = (0..length)
                    .map(|at| if at < zeros { '1' } else { char::from(ALPHABET[next() as usize % 58]) })
                    .collect();
                assert_eq!(decode(&text), bs58::decode(&text).into_vec().ok(), "{text}");
            }
        }
    }

    #[test]
    fn other_characters_are_refused() {
        for text in ["0", "O", "I", "l", "1 ", "é", "a\u{0}"] {
            assert_eq!(decode(text), None, "{text}");
        }
        assert_eq!(decode(""), Some(Vec::new()));
    }
}
