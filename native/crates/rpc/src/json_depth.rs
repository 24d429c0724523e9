//! Which of the two errors a text that is no JSON has.

use crate::json::{BYTE_ORDER_MARK, MAX_DEPTH};

/// True when a text that is no JSON is refused for its depth, which is seen by its structure alone: brackets outside
/// strings are counted, whatever their kind, until the first value ends.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let bytes = text.trim_start_matches(is_script_space).as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => loop {
                match bytes.get(at) {
                    None => return false,
                    Some(b'\\') => at += 2,
                    Some(b'"') => break at += 1,
                    Some(_) => at += 1,
                }
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

/// White space as JavaScript has it.
fn is_script_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_seen_by_structure_alone() {
        let deep = "[".repeat(MAX_DEPTH + 1);
        for text in [deep.clone(), format!("\u{a0}\u{feff}{deep}"), format!("[tru {deep}"), format!("{{]{deep}")] {
            let expected = !text.starts_with("{]");
            assert_eq!(is_too_deep(&text), expected, "{}", &text[..4]);
        }
        for text in
            [format!("x{deep}"), format!("1 {deep}"), format!("\"{deep}"), format!("\u{85}{deep}"), deep[1..].into()]
        {
            assert!(!is_too_deep(&text));
        }
    }
}
