//! Partial Merkle trees: counts, hashes and flags, and small random trees.

use fastrand::Rng;

use super::corpus::Corpus;
use super::{blobs, one_of, varint};

/// The parts of a tree that can be read.
struct Tree {
    transactions: u32,
    hashes: Vec<[u8; 32]>,
    flags: Vec<u8>,
}

pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> Vec<u8> {
    let raw = one_of(random, &corpus.trees).cloned().unwrap_or_default();
    let tree = if random.u8(..4) == 0 { Some(made(random)) } else { read(&raw) };
    match tree {
        Some(tree) if random.u8(..3) != 0 => bent(tree, random),
        _ => blobs::mutated(raw, &corpus.trees, random),
    }
}

fn read(raw: &[u8]) -> Option<Tree> {
    let (count, rest) = raw.split_first_chunk::<4>()?;
    let (hashes, rest) = rest.split_first().filter(|(count, _)| **count < 0xfd)?;
    let (listed, rest) = rest.split_at_checked(usize::from(*hashes) * 32)?;
    let (_, flags) = rest.split_first()?;
    let hashes = listed.as_chunks::<32>().0.to_vec();
    Some(Tree { transactions: u32::from_le_bytes(*count), hashes, flags: flags.to_vec() })
}

/// A tree that is often valid: few transactions, and as many hashes as its flags need.
fn made(random: &mut Rng) -> Tree {
    let transactions = random.u32(..10);
    let mut bits = Vec::new();
    let mut hashes = Vec::new();
    let height = (0..).find(|height| width(transactions, *height) <= 1).unwrap_or(0);
    walk(transactions, height, 0, &mut bits, &mut hashes, random);
    let flags =
        bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |flags, bit| flags << 1 | u8::from(*bit))).collect();
    Tree { transactions, hashes, flags }
}

fn width(transactions: u32, height: u32) -> u32 {
    (transactions + (1 << height) - 1) >> height
}

fn walk(count: u32, height: u32, at: u32, bits: &mut Vec<bool>, hashes: &mut Vec<[u8; 32]>, random: &mut Rng) {
    let opened = random.u8(..3) != 0;
    bits.push(opened);
    if height == 0 || !opened {
        // Few different values, so that neighbours are sometimes equal.
        let fill = random.u8(..);
        return hashes.push([fill; 32]);
    }
    walk(count, height - 1, at * 2, bits, hashes, random);
    if at * 2 + 1 < width(count, height - 1) {
        walk(count, height - 1, at * 2 + 1, bits, hashes, random);
    }
}

fn bent(mut tree: Tree, random: &mut Rng) -> Vec<u8> {
    match random.u8(..10) {
        0 => tree.transactions = tree.transactions.wrapping_add(1),
        1 => tree.transactions = tree.transactions.wrapping_sub(1),
        2 => tree.transactions = varint::ODD[random.usize(..varint::ODD.len())] as u32,
        3 if !tree.hashes.is_empty() => drop(tree.hashes.remove(random.usize(..tree.hashes.len()))),
        4 if !tree.hashes.is_empty() => {
            let doubled = tree.hashes[random.usize(..tree.hashes.len())];
            tree.hashes.insert(random.usize(..=tree.hashes.len()), doubled);
        }
        5 => random.shuffle(&mut tree.hashes),
        6 if !tree.flags.is_empty() => {
            let at = random.usize(..tree.flags.len());
            tree.flags[at] ^= 1 << random.u8(..8);
        }
        7 => tree.flags.push(if random.bool() { 0 } else { random.u8(..) }),
        8 => drop(tree.flags.pop()),
        _ => {}
    }
    let mut out = tree.transactions.to_le_bytes().to_vec();
    varint::bent(&mut out, tree.hashes.len() as u64, 12, random);
    out.extend(tree.hashes.as_flattened());
    varint::bent(&mut out, tree.flags.len() as u64, 12, random);
    out.extend(&tree.flags);
    if random.u8(..16) == 0 {
        out.push(0);
    }
    out
}
