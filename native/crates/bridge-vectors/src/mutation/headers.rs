//! Headers: their fields, above all the target, and their length.

use fastrand::Rng;

use super::corpus::Corpus;
use super::{blobs, one_of};

/// Where the target stands.
const BITS: std::ops::Range<usize> = 72..76;
/// Starts of version, parent, root, time, target and nonce.
const FIELDS: &[std::ops::Range<usize>] = &[0..4, 4..36, 36..68, 68..72, BITS, 76..80];
/// Targets around the limits of the networks and of the compact form.
const TARGETS: &[u32] = &[
    0,
    1,
    0x0000_00ff,
    0x0080_0000,
    0x0100_0000,
    0x0112_3456,
    0x0180_0000,
    0x01fe_dcba,
    0x0200_8000,
    0x0300_0000,
    0x037f_ffff,
    0x0380_0001,
    0x0480_0000,
    0x0492_3456,
    0x1b04_04cb,
    0x1c00_ffff,
    0x1d00_ffff,
    0x1d01_0000,
    0x1e00_ffff,
    0x207f_ffff,
    0x2080_0000,
    0x20ff_ffff,
    0x2100_7fff,
    0x217f_ffff,
    0x2180_0000,
    0x2200_00ff,
    0x2201_0000,
    0xff12_3456,
    0xffff_ffff,
];

pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> Vec<u8> {
    let mut header = one_of(random, &corpus.headers).cloned().unwrap_or_default();
    if random.u8(..3) == 0 || header.len() < 80 {
        return blobs::mutated(header, &corpus.headers, random);
    }
    for _ in 0..random.usize(1..4) {
        edit(&mut header, corpus, random);
    }
    header
}

fn edit(header: &mut Vec<u8>, corpus: &Corpus, random: &mut Rng) {
    let field = FIELDS[random.usize(..FIELDS.len())].clone();
    if field.end > header.len() {
        return;
    }
    match random.u8(..8) {
        0 | 1 => {
            let target = TARGETS[random.usize(..TARGETS.len())];
            header[BITS].copy_from_slice(&target.to_le_bytes());
        }
        2 => header[75] = random.u8(..),
        3 => header[field].iter_mut().for_each(|byte| *byte = random.u8(..)),
        4 => {
            let fill = if random.bool() { 0 } else { 0xff };
            header[field].fill(fill);
        }
        5 => {
            let other = one_of(random, &corpus.headers).filter(|other| other.len() >= 80);
            if let Some(other) = other {
                header[field.clone()].copy_from_slice(&other[field]);
            }
        }
        6 => header.extend([0, 1, 0xfd, 0xff][..random.usize(1..5)].iter()),
        _ => {
            let nonce = random.u32(..).to_le_bytes();
            header[76..80].copy_from_slice(&nonce);
        }
    }
}
