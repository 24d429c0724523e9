//! Parameters of calls and estimates in their ordinary form.

use rhizome_evm::Message;
use rhizome_primitives::{Address, Bytes, U256, hex};

use crate::plain_params::PlainReader;
use crate::state_reads::LATEST;

/// Digits of a value.
const MAX_DIGITS: usize = 64;

/// Characters of a block's hash.
const HASH_CHARACTERS: usize = 66;

/// Request that `[{…},"BLOCK"]` makes, and the name of the block, where estimates may leave it out. A block may also be
/// an object with its hash or number (EIP-1898). None for everything that is not ordinary: members other than sender,
/// receiver, value and data, no receiver, and values that are no plain hex.
pub(crate) fn parse_call(params: &[u8], block_is_optional: bool) -> Option<(Message, &[u8])> {
    let mut reader = PlainReader::new(params);
    if reader.token()? != b'[' || reader.token()? != b'{' {
        return None;
    }
    let (mut from, mut to, mut value, mut data) = (None, None, None, None);
    loop {
        let name = reader.text()?;
        if reader.token()? != b':' {
            return None;
        }
        let text = reader.text()?.strip_prefix(b"0x")?;
        match name {
            b"from" if from.is_none() => from = Some(address(text)?),
            b"to" if to.is_none() => to = Some(address(text)?),
            b"value" if value.is_none() => value = Some(quantity(text)?),
            b"data" | b"input" if data.is_none() => data = Some(bytes(text)?),
            _ => return None,
        }
        match reader.token()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    let block = match reader.token()? {
        b',' => {
            let block = match reader.token()? {
                b'"' => reader.rest_of_text()?,
                b'{' => rest_of_block(&mut reader)?,
                _ => return None,
            };
            (reader.token()? == b']').then_some(block)?
        }
        b']' if block_is_optional => LATEST,
        _ => return None,
    };
    reader.token().is_none().then_some(())?;
    let message = Message {
        from,
        to: Some(to?),
        gas_price: U256::ZERO,
        value: value.unwrap_or_default(),
        data: data.unwrap_or_default(),
    };
    Some((message, block))
}

/// The name of a block in an object, after its first brace. Whether it is required to be canonical makes no difference
/// for blocks that are.
fn rest_of_block<'a>(reader: &mut PlainReader<'a>) -> Option<&'a [u8]> {
    let (mut block, mut is_flagged) = (None, false);
    loop {
        let name = reader.text()?;
        if reader.token()? != b':' {
            return None;
        }
        match name {
            b"blockHash" if block.is_none() => {
                block = Some(reader.text().filter(|text| text.len() == HASH_CHARACTERS)?);
            }
            b"blockNumber" if block.is_none() => {
                block = Some(reader.text().filter(|text| text.starts_with(b"0x") && text.len() < HASH_CHARACTERS)?);
            }
            b"requireCanonical" if !is_flagged => {
                is_flagged = true;
                reader.flag()?;
            }
            _ => return None,
        }
        match reader.token()? {
            b',' => {}
            b'}' => return block,
            _ => return None,
        }
    }
}

fn bytes(digits: &[u8]) -> Option<Bytes> {
    // The decoder would pass over a second `0x`.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    Some(Bytes::from(hex::decode(digits).ok()?))
}

fn address(digits: &[u8]) -> Option<Address> {
    let mut address = Address::ZERO;
    if digits.len() != 40 {
        return None;
    }
    hex::decode_to_slice(digits, address.as_mut_slice()).ok()?;
    Some(address)
}

fn quantity(digits: &[u8]) -> Option<U256> {
    if !(1..=MAX_DIGITS).contains(&digits.len()) {
        return None;
    }
    digits.iter().try_fold(U256::ZERO, |number, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(number << 4 | U256::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: &str = "0x00112233445566778899aabbccddeeff00112233";

    fn parse(params: &str) -> Option<Message> {
        parse_call(params.as_bytes(), false).map(|(message, _)| message)
    }

    fn block_of(params: &str) -> Option<&str> {
        parse_call(params.as_bytes(), true).map(|(_, block)| std::str::from_utf8(block).expect("ASCII"))
    }

    #[test]
    fn ordinary_calls_are_read() {
        let call = parse(&format!(r#"[{{"to":"{TO}","data":"0x70A0"}},"latest"]"#)).expect("ordinary");
        assert_eq!((call.from, call.value), (None, U256::ZERO));
        assert_eq!(call.to.map(|to| to.to_string().to_lowercase()), Some(TO.into()));
        assert_eq!(call.data.as_ref(), [0x70, 0xa0]);
        let call = parse(&format!(r#" [ {{ "from" : "{TO}", "to":"{TO}","value":"0x0ff" }} , "latest" ] "#));
        let call = call.expect("ordinary");
        assert_eq!((call.from.is_some(), call.value, call.data.len()), (true, U256::from(255), 0));
        let alone = format!(r#"[{{"to":"{TO}","input":"0x"}}]"#);
        assert!(parse(&alone).is_none());
        assert!(parse_call(alone.as_bytes(), true).is_some());
    }

    #[test]
    fn a_block_is_named_by_text_or_in_an_object() {
        let hash = format!("0x{}", "aB".repeat(32));
        let names = |block: &str| {
            let params = format!(r#"[{{"to":"{TO}"}},{block}]"#);
            block_of(&params).map(str::to_owned)
        };
        for name in ["latest", "earliest", "0x12", &hash] {
            assert_eq!(names(&format!("\"{name}\"")).as_deref(), Some(name));
        }
        for (block, name) in [
            (format!(r#"{{"blockHash":"{hash}"}}"#), hash.as_str()),
            (format!(r#" {{ "requireCanonical" : true , "blockHash" : "{hash}" }} "#), &hash),
            (format!(r#"{{"blockHash":"{hash}","requireCanonical":false}}"#), &hash),
            (r#"{"blockNumber":"0x12"}"#.into(), "0x12"),
        ] {
            assert_eq!(names(&block).as_deref(), Some(name), "{block}");
        }
        for odd in [
            "{}".to_owned(),
            "null".into(),
            "12".into(),
            r#"{"blockNumber":"12"}"#.into(),
            r#"{"blockNumber":"latest"}"#.into(),
            r#"{"blockNumber":18}"#.into(),
            r#"{"blockHash":"0x12"}"#.into(),
            format!(r#"{{"blockNumber":"{hash}"}}"#),
            format!(r#"{{"blockHash":"{hash}","blockNumber":"0x1"}}"#),
            format!(r#"{{"blockHash":"{hash}","requireCanonical":"true"}}"#),
            format!(r#"{{"blockHash":"{hash}","requireCanonical":truefalse}}"#),
            format!(r#"{{"blockHash":"{hash}","requireCanonical":true,"requireCanonical":true}}"#),
            format!(r#"{{"blockHash":"{hash}","other":true}}"#),
        ] {
            assert_eq!(names(&odd), None, "{odd}");
        }
        assert_eq!(block_of(&format!(r#"[{{"to":"{TO}"}}]"#)), Some("latest"));
    }

    #[test]
    fn everything_else_is_left() {
        for odd in [
            "".to_owned(),
            "[]".into(),
            r#"[{},"latest"]"#.into(),
            r#"[{"data":"0x"},"latest"]"#.into(),
            format!(r#"[{{"to":"{TO}"}},"latest",{{}}]"#),
            format!(r#"[{{"to":"{TO}"}},"latest"] x"#),
            format!(r#"[{{"to":"{TO}","to":"{TO}"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","data":"0x","input":"0x"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","gas":"0x5208"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","data":"0x1"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","data":null}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","data":"0x0x12"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","value":"0x"}},"latest"]"#),
            format!(r#"[{{"to":"{TO}","value":"12"}},"latest"]"#),
            format!(r#"[{{"to":"{}"}},"latest"]"#, &TO[2..]),
            format!(r#"[{{"to":"{}"}},"latest"]"#, &TO[..20]),
        ] {
            assert!(parse(&odd).is_none(), "{odd}");
        }
    }
}
