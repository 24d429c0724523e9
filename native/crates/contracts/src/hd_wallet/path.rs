//! Derivation paths: child numbers separated by slashes, as the reference's integer parser reads them.

use rhizome_primitives::contract::ContractError;

use crate::native::failed;

const MAX_LEVELS: usize = 10;

/// The zeros of the decimal digits outside ASCII that the reference's integer parser accepts (Unicode category Nd, one
/// UTF-16 unit); each starts a run of ten.
const DIGIT_ZEROS: [char; 36] = [
    '\u{0660}', '\u{06f0}', '\u{07c0}', '\u{0966}', '\u{09e6}', '\u{0a66}', '\u{0ae6}', '\u{0b66}', '\u{0be6}',
    '\u{0c66}', '\u{0ce6}', '\u{0d66}', '\u{0de6}', '\u{0e50}', '\u{0ed0}', '\u{0f20}', '\u{1040}', '\u{1090}',
    '\u{17e0}', '\u{1810}', '\u{1946}', '\u{19d0}', '\u{1a80}', '\u{1a90}', '\u{1b50}', '\u{1bb0}', '\u{1c40}',
    '\u{1c50}', '\u{a620}', '\u{a8d0}', '\u{a900}', '\u{a9d0}', '\u{a9f0}', '\u{aa50}', '\u{abf0}', '\u{ff10}',
];

/// Child numbers of a path such as `0/12/3`: one to ten levels, none hardened, first and last
/// character a digit.
pub(crate) fn parse(path: &str) -> Result<Vec<u32>, ContractError> {
    let ends_with_digits =
        path.chars().next().and_then(digit).is_some() && path.chars().last().and_then(digit).is_some();
    if !ends_with_digits {
        return Err(failed("a path starts and ends with a digit"));
    }
    let levels: Option<Vec<u32>> = path.split('/').take(MAX_LEVELS + 1).map(child_number).collect();
    match levels {
        Some(levels) if levels.len() <= MAX_LEVELS => Ok(levels),
        Some(_) => Err(failed("a path has at most 10 levels")),
        None => Err(failed("a path consists of numbers below 2^31")),
    }
}

/// A number from 0 to 2^31-1; a plus sign, or a minus sign before zero, is allowed.
fn child_number(text: &str) -> Option<u32> {
    let (digits, limit) = match text.strip_prefix('-') {
        Some(digits) => (digits, 0),
        None => (text.strip_prefix('+').unwrap_or(text), i32::MAX as u32),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0u32, |number, character| {
        number.checked_mul(10)?.checked_add(digit(character)?).filter(|number| *number <= limit)
    })
}

fn digit(character: char) -> Option<u32> {
    character.to_digit(10).or_else(|| {
        let value = |zero: &char| (character as u32).checked_sub(*zero as u32).filter(|value| *value < 10);
        DIGIT_ZEROS.iter().find_map(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_reference_reads() {
        for (path, levels) in [
            ("0", vec![0]),
            ("007/2147483647", vec![7, 2147483647]),
            ("1/+5/-0/2", vec![1, 5, 0, 2]),
            ("\u{0663}/\u{ff19}", vec![3, 9]),
            ("0/1/2/3/4/5/6/7/8/9", (0..10).collect()),
        ] {
            assert_eq!(parse(path).ok(), Some(levels), "{path}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        let mathematical_digit = "1/\u{1d7ce}/1";
        for path in [
            "",
            "/",
            "/0",
            "0/",
            "+1",
            "-0",
            "0//1",
            "1/-1/1",
            "1/+/1",
            "2147483648",
            "0'",
            "1/ 2/3",
            "m/0",
            mathematical_digit,
        ] {
            assert!(parse(path).is_err(), "{path}");
        }
        assert!(parse("0/1/2/3/4/5/6/7/8/9/10").is_err());
    }
}
