//! Reads signatures as leniently as the reference's ASN.1 reader (bridge.md §9).
//!
//! This is not an existing crate's code, because those readers are strict, or lenient in other ways. The bytes that
//! follow the two numbers inside the sequence must be valid ASN.1, too, so its other types are walked.

mod object;
mod streamed;
mod tag;
mod write;

pub use object::DerError;
use object::{CONSTRUCTED, Class, MAX_DEPTH, Object, class, constructed, length, long_tag_number, primitive};
use streamed::Streams;
pub(crate) use write::{sequence, trimmed, write_integer};

/// The two numbers of a signature, big-endian without leading zeros; the bytes of a negative one are read as if it were
/// positive. Bytes that follow the sequence are ignored.
///
/// # Errors
/// [`DerError`] where the reference throws.
pub fn read_signature(bytes: &[u8]) -> Result<(&[u8], &[u8]), DerError> {
    let mut stream = Stream { rest: bytes, limit: bytes.len() };
    match stream.object(0)? {
        Some(Object::Sequence(items)) => match items[..] {
            [Object::Integer(r), Object::Integer(s), ..] => Ok((trimmed(r), trimmed(s))),
            _ => Err(DerError),
        },
        _ => Err(DerError),
    }
}

/// Objects one after the other.
struct Stream<'a> {
    rest: &'a [u8],
    /// Lengths in the long form must be below it.
    limit: usize,
}

impl<'a> Stream<'a> {
    fn byte(&mut self) -> Result<u8, DerError> {
        let (first, rest) = self.rest.split_first().ok_or(DerError)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DerError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DerError)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next object; None at the end.
    fn object(&mut self, depth: u32) -> Result<Option<Object<'a>>, DerError> {
        let Some((&first, rest)) = self.rest.split_first() else { return Ok(None) };
        if first == 0 || depth > MAX_DEPTH {
            return Err(DerError);
        }
        self.rest = rest;
        let number = long_tag_number(first, || self.byte())?;
        let Some(length) = length(self.limit, || self.byte())? else {
            return Streams::indefinite(&mut self.rest, first, number, self.limit, depth + 1).map(Some);
        };
        match class(first) {
            Class::Application => self.take(length).map(|_| Some(Object::Other)),
            Class::Tagged => {
                let mut contents = self.take(length)?;
                if first & CONSTRUCTED != 0 {
                    Streams::contents(&mut contents, depth + 1)?;
                }
                Ok(Some(Object::Tagged(number)))
            }
            Class::Universal if first & CONSTRUCTED != 0 => {
                let items = objects(self.take(length)?, depth)?;
                // Outside of streams, the parts of an octet string cannot have parts themselves.
                let pieced = items.iter().any(|item| matches!(item, Object::Pieces));
                if number == tag::OCTET_STRING && pieced {
                    return Err(DerError);
                }
                constructed(number, items).map(Some)
            }
            Class::Universal => {
                // The reference leaves the contents of NULL, and half a character, unread.
                let contents = match number {
                    tag::NULL => &[],
                    tag::BMP_STRING => self.take(length & !1)?,
                    _ => self.take(length)?,
                };
                primitive(number, length, contents)?;
                Ok(Some(match number {
                    tag::INTEGER => Object::Integer(contents),
                    tag::OCTET_STRING => Object::OctetString,
                    tag::OBJECT_IDENTIFIER => Object::Identifier,
                    _ => Object::Other,
                }))
            }
        }
    }
}

fn objects(contents: &[u8], depth: u32) -> Result<Vec<Object<'_>>, DerError> {
    let mut stream = Stream { rest: contents, limit: contents.len() };
    let mut found = Vec::new();
    while let Some(object) = stream.object(depth + 1)? {
        found.push(object);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;

    use super::*;

    fn read(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        read_signature(bytes).ok().map(|(r, s)| (r.to_vec(), s.to_vec()))
    }

    #[test]
    fn what_is_accepted() {
        let ones = Some((vec![1], vec![1]));
        assert_eq!(read(&hex!("3006020101020101")), ones);
        assert_eq!(read(&hex!("3006020101020101ffff")), ones, "bytes behind it");
        assert_eq!(read(&hex!("308106020101020101")), ones, "a long length");
        assert_eq!(read(&hex!("3f1006020101020101")), ones, "a long tag");
        assert_eq!(read(&hex!("300902010102010104010a")), ones, "an object behind the numbers");
        assert_eq!(read(&hex!("300b0201010201010502020109")), ones, "contents of NULL are objects");
        assert_eq!(read(&hex!("3009020101020101a00100")), None, "contents of a tagged object are objects");
        assert_eq!(read(&hex!("30080201010201018000")), ones);
        assert_eq!(read(&hex!("30060201ff0201ff")), Some((vec![255], vec![255])));
        assert_eq!(read(&hex!("300402000200")), Some((vec![], vec![])));
    }

    #[test]
    fn what_is_refused() {
        for bytes in [
            &hex!("")[..],
            &hex!("30"),
            &hex!("3003020101"),
            &hex!("3106020101020101"),
            &hex!("1006020101020101"),
            &hex!("30800201010201010000"),
            &hex!("30080202000102020001"),
            &hex!("30080202ff8002010100"),
            &hex!("30060201010401 01"),
            &hex!("308500000000060201010201 01"),
            &hex!("3007020101020101 00"),
            &hex!("3008020101020101 0302"),
            &hex!("30070201010201"),
        ] {
            assert_eq!(read(bytes), None, "{bytes:02x?}");
        }
        let mut nested = Vec::new();
        for _ in 0..100_000 {
            nested.extend_from_slice(&[0x30, 0x84, 0, 0, 0, 0]);
        }
        assert_eq!(read(&nested), None);
    }

    #[test]
    fn indefinite_forms_behind_the_numbers() {
        let ones = Some((vec![1], vec![1]));
        assert_eq!(read(&hex!("300a020101020101a0800000")), ones, "an empty tagged object");
        assert_eq!(read(&hex!("300a02010102010130800000")), ones);
        assert_eq!(read(&hex!("300c0201010201013080a0000000")), ones, "with a tagged object inside");
        assert_eq!(read(&hex!("300e02010102010130803180 00000000")), ones, "one in another");
        assert_eq!(read(&hex!("300d02010102010124800401090000")), ones, "an octet string in pieces");
        assert_eq!(read(&hex!("300d02010102010124800201090000")), None, "a number is no piece of one");
        assert_eq!(read(&hex!("300c020101020101a004 24022400")), ones, "pieces of pieces in a tagged object");
        assert_eq!(read(&hex!("300a02010102010124022400")), None, "elsewhere not");
        assert_eq!(read(&hex!("3008020101020101a080")), None, "no end");
        assert_eq!(read(&hex!("300a02010102010104800000")), None, "not made of objects");
        assert_eq!(read(&hex!("300a02010102010133800000")), None, "a set and a sequence only");
        assert_eq!(read(&hex!("300a02010102010128028200")), ones, "an external object");
        assert_eq!(read(&hex!("300a02010102010128028300")), None, "of an encoding beyond two");
    }

    #[test]
    fn deep_objects_end() {
        let mut object = vec![0x30, 0];
        for _ in 0..600 {
            object = sequence(&object);
        }
        assert_eq!(read(&object), None);
    }
}
