//! Transactions: their fields, counts and lengths, inputs and outputs, witnesses.

use fastrand::Rng;
use rhizome_bitcoin::{Input, OutPoint, Output, Transaction, reversed};
use rhizome_primitives::B256;

use super::corpus::Corpus;
use super::{blobs, one_of, scripts, varint};

pub(super) fn mutated(corpus: &Corpus, random: &mut Rng) -> Vec<u8> {
    let raw = one_of(random, &corpus.transactions).cloned().unwrap_or_default();
    match Transaction::parse(&raw) {
        Ok(mut transaction) if random.u8(..3) != 0 => {
            for _ in 0..random.usize(..4) {
                edit(&mut transaction, corpus, random);
            }
            written(&transaction, random)
        }
        _ => blobs::mutated(raw, &corpus.transactions, random),
    }
}

/// Amounts at which rules change.
const AMOUNTS: &[i64] = &[
    0,
    1,
    -1,
    546,
    2_099_999_999_999_999,
    2_100_000_000_000_000,
    2_100_000_000_000_001,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
];

fn edit(transaction: &mut Transaction, corpus: &Corpus, random: &mut Rng) {
    let (inputs, outputs) = (&mut transaction.inputs, &mut transaction.outputs);
    match random.u8(..16) {
        0 => transaction.version = random.u32(..),
        1 => transaction.lock_time = random.u32(..),
        2 => inputs.clear(),
        3 => outputs.clear(),
        4 => inputs.push(Input::new(OutPoint {
            txid: B256::new(random.u128(..).to_be_bytes().repeat(2).try_into().unwrap_or_default()),
            index: random.u32(..),
        })),
        5 => outputs
            .push(Output { value: AMOUNTS[random.usize(..AMOUNTS.len())], script: scripts::mutated(corpus, random) }),
        6 => {
            if let Some(doubled) = random.choice(inputs.iter()).cloned() {
                inputs.push(doubled);
            }
        }
        7 => {
            if let Some(doubled) = random.choice(outputs.iter()).cloned() {
                outputs.push(doubled);
            }
        }
        8 => random.shuffle(inputs),
        choice => edit_part(choice, inputs, outputs, corpus, random),
    }
}

fn edit_part(choice: u8, inputs: &mut [Input], outputs: &mut [Output], corpus: &Corpus, random: &mut Rng) {
    if choice == 9 {
        if let Some(output) = random.choice(outputs) {
            output.value = AMOUNTS[random.usize(..AMOUNTS.len())];
        }
        return;
    }
    if choice == 10 {
        if let Some(output) = random.choice(outputs) {
            output.script = scripts::mutated(corpus, random);
        }
        return;
    }
    let Some(at) = (0..inputs.len()).nth(random.usize(..inputs.len().max(1))) else { return };
    let input = &mut inputs[at];
    match choice {
        11 => {
            // A coinbase, or half of one.
            if random.u8(..4) != 0 {
                input.previous.txid = B256::ZERO;
            }
            if random.u8(..4) != 0 {
                input.previous.index = u32::MAX;
            }
            input.script = vec![0x51; [0, 1, 2, 100, 101][random.usize(..5)]];
        }
        12 => input.script = scripts::mutated(corpus, random),
        13 => input.sequence = [0, 1, u32::MAX, u32::MAX - 1, 1 << 31][random.usize(..5)],
        14 => input.witness.clear(),
        _ => input.witness.push(scripts::mutated(corpus, random)),
    }
}

/// Writes it with some odd lengths; witnesses are present or absent at random.
fn written(transaction: &Transaction, random: &mut Rng) -> Vec<u8> {
    let rarity = 40 + (transaction.inputs.len() + transaction.outputs.len()) as u32 * 8;
    let mut witnesses = transaction.inputs.iter().any(|input| !input.witness.is_empty());
    if random.u8(..10) == 0 {
        witnesses = !witnesses;
    }
    let mut out = transaction.version.to_le_bytes().to_vec();
    if witnesses {
        let flag = if random.u8(..20) == 0 { random.u8(..4) } else { 1 };
        out.extend([0, flag]);
    }
    varint::bent(&mut out, transaction.inputs.len() as u64, rarity, random);
    for input in &transaction.inputs {
        out.extend(reversed(input.previous.txid));
        out.extend(input.previous.index.to_le_bytes());
        bytes(&mut out, &input.script, rarity, random);
        out.extend(input.sequence.to_le_bytes());
    }
    varint::bent(&mut out, transaction.outputs.len() as u64, rarity, random);
    for output in &transaction.outputs {
        out.extend(output.value.to_le_bytes());
        bytes(&mut out, &output.script, rarity, random);
    }
    if witnesses != (random.u8(..20) == 0) {
        for input in &transaction.inputs {
            varint::bent(&mut out, input.witness.len() as u64, rarity, random);
            input.witness.iter().for_each(|push| bytes(&mut out, push, rarity, random));
        }
    }
    out.extend(transaction.lock_time.to_le_bytes());
    if random.u8(..20) == 0 {
        out.extend((0..random.usize(1..5)).map(|_| random.u8(..)));
    }
    out
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8], rarity: u32, random: &mut Rng) {
    varint::bent(out, bytes.len() as u64, rarity, random);
    out.extend(bytes);
}
