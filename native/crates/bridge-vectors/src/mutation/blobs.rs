//! Edits that ignore the meaning of the bytes.

use std::ops::Range;

use fastrand::Rng;

/// Bytes at which a reader may branch: lengths, opcodes, tags.
const ODD: &[u8] = &[
    0, 1, 2, 3, 0x14, 0x20, 0x21, 0x30, 0x41, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x51, 0x60, 0x7f, 0x80, 0xae, 0xfd, 0xfe,
    0xff,
];

/// One to three edits; `others` are inputs of the same kind, from which ranges are copied.
pub(super) fn mutated(mut bytes: Vec<u8>, others: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    for _ in 0..random.usize(1..4) {
        edit(&mut bytes, others, random);
    }
    bytes
}

fn edit(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Rng) {
    if bytes.is_empty() {
        bytes.extend((0..random.usize(..40)).map(|_| random.u8(..)));
        return;
    }
    let at = random.usize(..bytes.len());
    match random.u8(..11) {
        0 | 1 => bytes[at] ^= 1 << random.u8(..8),
        2 => bytes[at] = ODD[random.usize(..ODD.len())],
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(range(bytes.len(), random))),
        5 => {
            let more: Vec<_> = (0..random.usize(1..6)).map(|_| random.u8(..)).collect();
            bytes.splice(at..at, more);
        }
        6 => {
            let doubled = bytes[range(bytes.len(), random)].to_vec();
            bytes.splice(at..at, doubled);
        }
        7 => {
            let (first, second) = (range(bytes.len(), random), range(bytes.len(), random));
            let (first, second) = if first.start < second.start { (first, second) } else { (second, first) };
            if first.end <= second.start {
                let (early, late) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
                bytes.splice(second, early);
                bytes.splice(first, late);
            }
        }
        8 => {
            let Some(other) = random.choice(others).filter(|other| !other.is_empty()) else { return };
            let taken = other[range(other.len(), random)].to_vec();
            let end = (at + if random.bool() { taken.len() } else { 0 }).min(bytes.len());
            bytes.splice(at..end, taken);
        }
        9 => {
            let number = super::varint::ODD[random.usize(..super::varint::ODD.len())].to_le_bytes();
            let end = (at + [2, 4, 8][random.usize(..3)]).min(bytes.len());
            bytes[at..end].copy_from_slice(&number[..end - at]);
        }
        _ => bytes.extend((0..random.usize(1..90)).map(|_| random.u8(..))),
    }
}

/// A range that is not empty, mostly short.
fn range(length: usize, random: &mut Rng) -> Range<usize> {
    let start = random.usize(..length);
    let longest = if random.u8(..4) == 0 { length - start } else { (length - start).min(40) };
    start..start + random.usize(1..=longest)
}
