//! Signatures in DER: lengths, tags, numbers, and ASN.1 of any kind after the two numbers.

use fastrand::Rng;

use super::corpus::Corpus;
use super::{blobs, one_of};

/// Universal, application, context and private tags, primitive and constructed, some of which continue in more bytes.
const TAGS: &[u8] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 0x20,
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x28, 0x2a, 0x2c, 0x30, 0x31, 0x33, 0x38, 0x3f, 0x40, 0x5f, 0x60, 0x61, 0x7f,
    0x80, 0x81, 0x9f, 0xa0, 0xa1, 0xbf, 0xc0, 0xdf, 0xe0, 0xff,
];
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;
const OCTET_STRING: u8 = 4;
const CONSTRUCTED: u8 = 0x20;
const EXTERNAL: u8 = 0x28;
/// Maximum nesting of objects.
const MAX_DEPTH: u32 = 4;

/// A signature, a key and a hash.
pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let (der, mut key, mut hash) = one_of(random, &corpus.signatures).cloned().unwrap_or_default();
    if random.u8(..8) == 0 {
        key = one_of(random, &corpus.keys).cloned().unwrap_or_default();
    }
    if random.u8(..8) == 0 {
        hash.iter_mut().for_each(|byte| *byte = random.u8(..));
    }
    let der = match random.u8(..3) {
        0 => blobs::mutated(der, &[], random),
        _ => encoded(&der, random),
    };
    (der, key, hash)
}

/// The two numbers of a plain signature.
fn numbers(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::from(*der.get(3)?);
    let r = der.get(4..4 + length)?;
    let s_length = usize::from(*der.get(5 + length)?);
    Some((r, der.get(6 + length..6 + length + s_length)?))
}

fn encoded(der: &[u8], random: &mut Rng) -> Vec<u8> {
    let (r, s) = numbers(der).unwrap_or((&[1], &[1]));
    let mut inside = Vec::new();
    for value in [r, s] {
        let value = number(value, random);
        let tag = if random.u8(..24) == 0 { one_of(random, TAGS).copied().unwrap_or(INTEGER) } else { INTEGER };
        object(&mut inside, tag, &value, 16, random);
    }
    if random.bool() {
        for _ in 0..random.usize(1..4) {
            anything(&mut inside, MAX_DEPTH, random);
        }
    }
    let mut out = Vec::new();
    let tag = if random.u8(..24) == 0 { one_of(random, TAGS).copied().unwrap_or(SEQUENCE) } else { SEQUENCE };
    object(&mut out, tag, &inside, 8, random);
    if random.u8(..8) == 0 {
        out.extend((0..random.usize(1..6)).map(|_| random.u8(..)));
    }
    out
}

fn number(value: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut value = value.to_vec();
    match random.u8(..20) {
        0 => value.insert(0, 0),
        1 => value.insert(0, 0xff),
        2 => value.clear(),
        3 => value = vec![random.u8(..); random.usize(1..4)],
        4 => value.iter_mut().for_each(|byte| *byte = random.u8(..)),
        5 => value.extend((0..random.usize(1..140)).map(|_| random.u8(..))),
        6 => drop(value.pop()),
        7 => {
            if let Some(first) = value.first_mut() {
                *first = 0x80;
            }
        }
        _ => {}
    }
    value
}

/// Tag, length and contents; one length in `rarity` is odd.
fn object(out: &mut Vec<u8>, tag: u8, contents: &[u8], rarity: u8, random: &mut Rng) {
    out.push(tag);
    if tag & 0x1f == 0x1f {
        let more: &[u8] = [&[0x1f][..], &[0x00], &[0x80, 1], &[0x81, 0x02], &[0x05], &[0x8f, 0xff, 0xff, 0xff, 0x7f]]
            [random.usize(..6)];
        out.extend(more);
    }
    let length = contents.len();
    let plain = |out: &mut Vec<u8>, length: usize| match length {
        0..=0x7f => out.push(length as u8),
        0x80..=0xff => out.extend([0x81, length as u8]),
        _ => {
            out.push(0x82);
            out.extend((length as u16).to_be_bytes());
        }
    };
    if random.u8(..rarity) != 0 {
        plain(out, length);
        out.extend(contents);
        return;
    }
    match random.u8(..8) {
        0 => plain(out, length + 1),
        1 => plain(out, length.saturating_sub(1)),
        2 => out.extend([0x81, length as u8]),
        3 => out.extend([0x82, (length >> 8) as u8, length as u8]),
        4 => out.extend([0x84, 0, 0, (length >> 8) as u8, length as u8]),
        5 => out.extend([0x85, 0, 0, 0, (length >> 8) as u8, length as u8]),
        6 => out.extend([0x84, random.u8(..), 0xff, 0xff, 0xff]),
        _ => {
            // Indefinite: the contents should end with two zero bytes.
            out.push(0x80);
            out.extend(contents);
            if random.u8(..4) != 0 {
                out.extend([0, 0]);
            }
            return;
        }
    }
    out.extend(contents);
}

/// An object of any kind, with objects or bytes inside.
fn anything(out: &mut Vec<u8>, depth: u32, random: &mut Rng) {
    let tag = if random.u8(..12) == 0 {
        [EXTERNAL, OCTET_STRING | CONSTRUCTED][random.usize(..2)]
    } else {
        one_of(random, TAGS).copied().unwrap_or_default()
    };
    let mut contents = Vec::new();
    if tag == EXTERNAL && random.u8(..4) != 0 {
        // An optional identifier, an optional number, an optional descriptor, then a tagged object.
        for tag in [6, INTEGER, 7, 4] {
            if random.u8(..3) == 0 {
                object(&mut contents, tag, &[1], 20, random);
            }
        }
        object(&mut contents, 0x80 | random.u8(..4), &[], 20, random);
    } else if tag == OCTET_STRING | CONSTRUCTED && depth > 0 {
        for _ in 0..random.usize(..3) {
            let tag = [OCTET_STRING, OCTET_STRING | CONSTRUCTED, INTEGER][random.usize(..3).min(random.usize(..3))];
            object(&mut contents, tag, &[], 8, random);
        }
    } else if depth > 0 && (tag & 0x20 != 0 || random.u8(..4) == 0) {
        for _ in 0..random.usize(..4) {
            anything(&mut contents, depth - 1, random);
        }
    } else {
        contents.extend((0..random.usize(..5)).map(|_| [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x31][random.usize(..9)]));
    }
    object(out, tag, &contents, if tag & 0x20 == 0 { 10 } else { 3 }, random);
}
