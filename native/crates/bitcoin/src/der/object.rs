//! Objects of ASN.1 as far as the reference reads them (bridge.md §9).

use thiserror::Error;

use super::tag;

/// The bytes are not a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes are no DER signature")]
pub struct DerError;

/// Maximum nesting of objects; the reference's stack overflows somewhere beyond.
pub(super) const MAX_DEPTH: u32 = 500;

/// Bits of a tag.
pub(super) const CONSTRUCTED: u8 = 0x20;
const APPLICATION: u8 = 0x40;
const CONTEXT: u8 = 0x80;
const NUMBER: u8 = 0x1f;

pub(super) enum Object<'a> {
    Integer(&'a [u8]),
    OctetString,
    /// An octet string that is composed of others.
    Pieces,
    Identifier,
    Sequence(Vec<Object<'a>>),
    Tagged(i32),
    Other,
}

/// How the contents of an object are read.
pub(super) enum Class {
    Universal,
    /// Contents are not parsed, unless their length is indefinite.
    Application,
    Tagged,
}

pub(super) const fn class(first: u8) -> Class {
    match first {
        _ if first & APPLICATION != 0 => Class::Application,
        _ if first & CONTEXT != 0 => Class::Tagged,
        _ => Class::Universal,
    }
}

/// Numbers above 30 follow the tag; they wrap at 32 bits.
pub(super) fn long_tag_number(first: u8, mut next: impl FnMut() -> Result<u8, DerError>) -> Result<i32, DerError> {
    if first & NUMBER != NUMBER {
        return Ok(i32::from(first & NUMBER));
    }
    let mut number = 0_i32;
    let mut byte = next()?;
    if byte & 0x7f == 0 {
        return Err(DerError);
    }
    while byte & 0x80 != 0 {
        number = (number | i32::from(byte & 0x7f)) << 7;
        byte = next()?;
    }
    Ok(number | i32::from(byte))
}

/// A length in at most four bytes and below the limit; None for the indefinite form.
pub(super) fn length(limit: usize, mut next: impl FnMut() -> Result<u8, DerError>) -> Result<Option<usize>, DerError> {
    let first = next()?;
    if first < 0x80 {
        return Ok(Some(usize::from(first)));
    }
    let size = usize::from(first & 0x7f);
    if size == 0 {
        return Ok(None);
    }
    if size > 4 {
        return Err(DerError);
    }
    let mut length = 0_u32;
    for _ in 0..size {
        length = length << 8 | u32::from(next()?);
    }
    let length = usize::try_from(length.cast_signed()).map_err(|_| DerError)?;
    if length < limit { Ok(Some(length)) } else { Err(DerError) }
}

/// Checks the contents of a primitive object.
pub(super) fn primitive(number: i32, length: usize, contents: &[u8]) -> Result<(), DerError> {
    let valid = match number {
        tag::BOOLEAN => length == 1,
        tag::INTEGER | tag::ENUMERATED => is_minimal(contents) && (number == tag::INTEGER || length > 0),
        tag::BIT_STRING => match contents {
            [] => false,
            [padding] => *padding == 0,
            [padding, ..] => *padding < 8,
        },
        tag::OCTET_STRING | tag::NULL | tag::OBJECT_IDENTIFIER | tag::UTF8_STRING | tag::BMP_STRING => true,
        tag::NUMERIC_STRING..=tag::GENERAL_STRING | tag::UNIVERSAL_STRING => true,
        _ => false,
    };
    if valid { Ok(()) } else { Err(DerError) }
}

/// True when a number has no byte that repeats the sign of the next one. An empty number is zero.
fn is_minimal(number: &[u8]) -> bool {
    !matches!(number, [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..])
}

pub(super) fn constructed(number: i32, items: Vec<Object<'_>>) -> Result<Object<'_>, DerError> {
    match number {
        tag::OCTET_STRING if items.iter().all(|item| matches!(item, Object::OctetString | Object::Pieces)) => {
            Ok(Object::Pieces)
        }
        tag::SEQUENCE => Ok(Object::Sequence(items)),
        tag::SET => Ok(Object::Other),
        tag::EXTERNAL if is_external(&items) => Ok(Object::Other),
        _ => Err(DerError),
    }
}

/// An optional identifier, an optional number, an optional descriptor, then an object with a tag up to two.
fn is_external(items: &[Object<'_>]) -> bool {
    let items = items.strip_prefix_if(|item| matches!(item, Object::Identifier));
    let items = items.strip_prefix_if(|item| matches!(item, Object::Integer(_)));
    let items = items.strip_prefix_if(|item| !matches!(item, Object::Tagged(_)));
    matches!(items, [Object::Tagged(0..=2)])
}

trait StripPrefixIf<T> {
    fn strip_prefix_if(&self, matches: impl Fn(&T) -> bool) -> &Self;
}

impl<T> StripPrefixIf<T> for [T] {
    fn strip_prefix_if(&self, matches: impl Fn(&T) -> bool) -> &Self {
        match self.split_first() {
            Some((first, rest)) if matches(first) => rest,
            _ => self,
        }
    }
}
