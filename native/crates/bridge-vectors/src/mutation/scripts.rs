//! Scripts: opcodes, pushes in every form, and almost correct redeem scripts of federations.

use fastrand::Rng;
use rhizome_bitcoin::Script;

use super::corpus::Corpus;
use super::{blobs, one_of};

/// An element that has several encodings.
#[derive(Clone)]
pub(super) struct Element {
    pub(super) opcode: u8,
    pub(super) data: Option<Vec<u8>>,
}

/// Opcodes of known scripts: numbers, branches, hashes, checks of signatures and ages.
const OPCODES: &[u8] = &[
    0, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53, 0x5f, 0x60, 0x61, 0x63, 0x64, 0x67, 0x68, 0x69, 0x6a, 0x75,
    0x76, 0x87, 0x88, 0xa9, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb1, 0xb2, 0xba, 0xff,
];

pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> Vec<u8> {
    let program = one_of(random, &corpus.scripts).cloned().unwrap_or_default();
    if random.u8(..3) == 0 {
        return blobs::mutated(program, &corpus.scripts, random);
    }
    let mut list = if random.u8(..3) == 0 { redeem_script(corpus, random) } else { elements(&program) };
    for _ in 0..random.usize(..4) {
        edit(&mut list, corpus, random);
    }
    written(&list, random)
}

/// The elements up to the first that does not parse.
pub(super) fn elements(program: &[u8]) -> Vec<Element> {
    let Ok(script) = Script::parse(program) else { return Vec::new() };
    let element = |opcode, data: Option<&[u8]>| Element { opcode, data: data.map(<[u8]>::to_vec) };
    script.chunks().iter().map(|chunk| element(chunk.opcode, chunk.data)).collect()
}

pub(super) fn push(data: Vec<u8>) -> Element {
    Element { opcode: data.len().min(0x4c) as u8, data: Some(data) }
}

const fn op(opcode: u8) -> Element {
    Element { opcode, data: None }
}

fn number(value: usize, random: &mut Rng) -> Element {
    match (value, random.u8(..24)) {
        (0..=16, 1..) => op(if value == 0 { 0 } else { 0x50 + value as u8 }),
        (_, 1) => push(vec![value as u8, 0]),
        (_, 2) => push(vec![]),
        _ => push(vec![value as u8]),
    }
}

/// A standard or emergency script with random numbers of keys, some of which are invalid.
fn redeem_script(corpus: &Corpus, random: &mut Rng) -> Vec<Element> {
    let mut list = Vec::new();
    if random.u8(..4) == 0 {
        let hash = vec![7; if random.u8(..8) == 0 { 31 } else { 32 }];
        list.extend([push(hash), op(0x75)]);
    }
    let form = random.u8(..4);
    if form == 0 {
        list.extend(keys(corpus, random));
        list.push(op(if random.u8(..6) == 0 { 0xaf } else { 0xae }));
        return list;
    }
    // Each branch may have its own check, or share the one that follows both.
    let inner = form != 1;
    list.push(op(0x64));
    list.extend(keys(corpus, random));
    list.extend(inner.then_some(op(0xae)));
    list.push(op(0x67));
    let delay =
        [vec![0x50, 0xcd, 0], vec![0xcd, 0x50], vec![0, 0xcd, 0x50], vec![0xf4, 1], vec![], vec![0x90, 0, 0, 0, 0]];
    list.push(push(delay[random.usize(..delay.len())].clone()));
    list.extend([op(0xb2), op(0x75)]);
    list.extend(keys(corpus, random));
    list.extend(inner.then_some(op(0xae)));
    list.push(op(0x68));
    list.extend((!inner).then_some(op(0xae)));
    list
}

fn keys(corpus: &Corpus, random: &mut Rng) -> Vec<Element> {
    let count = if random.u8(..8) == 0 { random.usize(..22) } else { random.usize(1..6) };
    let mut list = vec![number(random.usize(..=count), random)];
    for _ in 0..count {
        let mut key = one_of(random, &corpus.keys).cloned().unwrap_or_default();
        if random.u8(..16) == 0 {
            key = blobs::mutated(key, &corpus.keys, random);
        }
        list.push(push(key));
    }
    let stated = if random.u8(..10) == 0 { random.usize(..22) } else { count };
    list.push(number(stated, random));
    list
}

fn edit(list: &mut Vec<Element>, corpus: &Corpus, random: &mut Rng) {
    let at = random.usize(..=list.len());
    let any =
        |random: &mut Rng| op(if random.bool() { OPCODES[random.usize(..OPCODES.len())] } else { random.u8(0x4f..) });
    match random.u8(..8) {
        0 => list.insert(at, any(random)),
        1 => {
            let length = [0, 1, 2, 20, 32, 33, 65, 75, 76, 255, 256, 520, 521][random.usize(..13)];
            list.insert(at, push((0..length).map(|_| random.u8(..)).collect()));
        }
        2 => {
            let key = one_of(random, &corpus.keys).cloned().unwrap_or_default();
            list.insert(at, push(key));
        }
        3 if random.u8(..8) == 0 => list.extend(redeem_script(corpus, random)),
        _ if at == list.len() => {}
        3 => list[at] = any(random),
        4 => drop(list.remove(at)),
        5 => {
            let doubled = list[at].clone();
            list.insert(at, doubled);
        }
        6 => {
            let other = random.usize(..list.len());
            list.swap(at, other);
        }
        _ => {
            if let Some(data) = &mut list[at].data {
                *data = blobs::mutated(std::mem::take(data), &corpus.keys, random);
                list[at].opcode = list[at].data.as_ref().map_or(0, |data| data.len().min(0x4c) as u8);
            }
        }
    }
}

/// Some pushes take a wider opcode than they need, or state a wrong length.
pub(super) fn written(list: &[Element], random: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for element in list {
        let Some(data) = &element.data else {
            out.push(element.opcode);
            continue;
        };
        let stated = if random.u8(..100) == 0 { random.usize(..600) } else { data.len() };
        let wider = random.u8(..40);
        match (stated, wider) {
            (0..=0x4b, 3..) => out.push(stated as u8),
            (0..=0xff, 2..) => out.extend([0x4c, stated as u8]),
            (0..=0xffff, 1..) => {
                out.push(0x4d);
                out.extend((stated as u16).to_le_bytes());
            }
            _ => {
                out.push(0x4e);
                out.extend((stated as u32).to_le_bytes());
            }
        }
        out.extend(data);
    }
    out
}
