//! Signed inputs of federations with a changed script, sequence or version.

use fastrand::Rng;
use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_bitcoin::{Script, Transaction};
use rhizome_crypto::hash160;

use super::corpus::Corpus;
use super::scripts::{Element, elements, push, written};
use super::{blobs, one_of};

/// The transaction and the script of the output that its first input spends.
pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> (Vec<u8>, Vec<u8>) {
    let raw = one_of(random, &corpus.signed).cloned().unwrap_or_default();
    let Ok(mut transaction) = Transaction::parse(&raw) else { return (raw, Vec::new()) };
    let Some(input) = transaction.inputs.first_mut() else { return (raw, Vec::new()) };
    let redeem = Script::parse(&input.script).ok().and_then(|script| script.chunks().last()?.data.map(<[u8]>::to_vec));
    let output = pay_to_script_hash(&hash160(&redeem.unwrap_or_default()));
    if random.u8(..8) == 0 {
        input.script = blobs::mutated(std::mem::take(&mut input.script), &corpus.scripts, random);
        return (transaction.serialize(), output);
    }
    let mut list = elements(&input.script);
    for _ in 0..random.usize(..3) {
        edit(&mut list, random);
    }
    input.script = written(&list, random);
    match random.u8(..6) {
        0 => {
            input.sequence = [0, 1, 499, 500, 52_560, 0xffff, 1 << 22 | 500, 1 << 31, 1 << 31 | 500][random.usize(..9)]
        }
        1 => transaction.version = random.u32(..4),
        2 => transaction.lock_time ^= 1,
        _ => {}
    }
    (transaction.serialize(), output)
}

/// Changes the pushes before the redeem script: a spare element, signatures, a choice of branch.
fn edit(list: &mut Vec<Element>, random: &mut Rng) {
    let end = list.len().saturating_sub(1);
    if end == 0 {
        return;
    }
    let at = random.usize(..end);
    match random.u8(..9) {
        0 => list.insert(at, Element { opcode: random.u8(0x4f..), data: None }),
        1 => list.insert(
            at,
            Element { opcode: [0, 0x4f, 0x50, 0x51, 0x60, 0x61, 0x63, 0x68, 0x76][random.usize(..9)], data: None },
        ),
        2 => drop(list.remove(at)),
        3 => {
            let other = random.usize(..end);
            list.swap(at, other);
        }
        4 => {
            let doubled = list[at].clone();
            list.insert(at, doubled);
        }
        5 => list.insert(at, push(vec![random.u8(..); random.usize(..3)])),
        6 => list[at] = push(vec![[0, 1, 0x80, 0x81][random.usize(..4)]; random.usize(1..3)]),
        7 => {
            if let Some(sighash) = list[at].data.as_mut().and_then(|data| data.last_mut()) {
                *sighash = [0, 1, 2, 3, 4, 0x80, 0x81, 0x82, 0x83, 0xff][random.usize(..10)];
            }
        }
        _ => {
            if let Some(data) = list[at].data.take() {
                list[at] = push(blobs::mutated(data, &[], random));
            }
        }
    }
}
