//! Signature hashes of inputs (bridge.md §3.4).
//!
//! This is not the `bitcoin` crate's code, because the reference's legacy hash includes marker, flag and witnesses of a
//! transaction that has any. Hashes are in the order in which they are signed, not in display order.

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;

use crate::reader::write_bytes;
use crate::script::{ScriptError, opcode, removal};
use crate::transaction::{Output, Transaction};

const NONE: u8 = 2;
const SINGLE: u8 = 3;
const ANYONE_CAN_PAY: u8 = 0x80;
const BASE: u8 = 0x1f;

/// The hash for SIGHASH_SINGLE where there is no such output.
const NO_SUCH_OUTPUT: B256 = {
    let mut one = [0; 32];
    one[0] = 1;
    B256::new(one)
};

/// The legacy hash of an input with `script` in its place, as the reference computes it.
///
/// # Errors
/// [`ScriptError::Other`] when there is no such input, and the errors of removing code separators from the script.
pub fn legacy(transaction: &Transaction, index: usize, script: &[u8], sighash: u8) -> Result<B256, ScriptError> {
    let mut signed = transaction.clone();
    signed.inputs.iter_mut().for_each(|input| input.script.clear());
    let script = removal::without(script, &[opcode::OP_CODESEPARATOR])?;
    signed.inputs.get_mut(index).ok_or(ScriptError::Other("there is no such input"))?.script = script;
    match sighash & BASE {
        NONE => signed.outputs.clear(),
        SINGLE => {
            if index >= signed.outputs.len() {
                return Ok(NO_SUCH_OUTPUT);
            }
            signed.outputs.truncate(index + 1);
            signed.outputs.iter_mut().take(index).for_each(|output| *output = Output { value: -1, script: Vec::new() });
        }
        _ => {}
    }
    if matches!(sighash & BASE, NONE | SINGLE) {
        let others = signed.inputs.iter_mut().enumerate().filter(|(at, _)| *at != index);
        others.for_each(|(_, input)| input.sequence = 0);
    }
    if sighash & ANYONE_CAN_PAY != 0 {
        // The reference stores witnesses by position, so the input gets the witness of the first input.
        let witness = signed.inputs.first().map(|input| input.witness.clone()).unwrap_or_default();
        let mut input = signed.inputs.swap_remove(index);
        input.witness = witness;
        signed.inputs = vec![input];
    }
    let mut preimage = signed.serialize();
    preimage.extend_from_slice(&u32::from(sighash).to_le_bytes());
    Ok(sha256d(&preimage))
}

/// The hash of BIP 143: `script` is the whole redeem script, `value` that of the spent output.
///
/// # Errors
/// [`ScriptError::Other`] when there is no such input.
pub fn segwit(
    transaction: &Transaction,
    index: usize,
    script: &[u8],
    value: i64,
    sighash: u8,
) -> Result<B256, ScriptError> {
    let input = transaction.inputs.get(index).ok_or(ScriptError::Other("there is no such input"))?;
    let (anyone, base) = (sighash & ANYONE_CAN_PAY != 0, sighash & BASE);
    let all = !matches!(base, NONE | SINGLE);
    let outpoint = |input: &crate::transaction::Input| {
        let mut bytes = crate::reversed(input.previous.txid).to_vec();
        bytes.extend_from_slice(&input.previous.index.to_le_bytes());
        bytes
    };
    let inputs = |bytes: &dyn Fn(&crate::transaction::Input) -> Vec<u8>| {
        sha256d(&transaction.inputs.iter().flat_map(bytes).collect::<Vec<_>>())
    };
    let previous = if anyone { B256::ZERO } else { inputs(&outpoint) };
    let sequences = if anyone || !all { B256::ZERO } else { inputs(&|input| input.sequence.to_le_bytes().to_vec()) };
    let outputs = match (all, transaction.outputs.get(index)) {
        (true, _) => hash_of_outputs(&transaction.outputs),
        (false, Some(output)) if base == SINGLE => hash_of_outputs(std::slice::from_ref(output)),
        _ => B256::ZERO,
    };
    let mut preimage = Vec::with_capacity(256 + script.len());
    preimage.extend_from_slice(&transaction.version.to_le_bytes());
    preimage.extend_from_slice(previous.as_slice());
    preimage.extend_from_slice(sequences.as_slice());
    preimage.extend_from_slice(&outpoint(input));
    write_bytes(&mut preimage, script);
    preimage.extend_from_slice(&unsigned_le(value));
    preimage.extend_from_slice(&input.sequence.to_le_bytes());
    preimage.extend_from_slice(outputs.as_slice());
    preimage.extend_from_slice(&transaction.lock_time.to_le_bytes());
    preimage.extend_from_slice(&u32::from(sighash).to_le_bytes());
    Ok(sha256d(&preimage))
}

fn hash_of_outputs(outputs: &[Output]) -> B256 {
    let mut bytes = Vec::new();
    for output in outputs {
        bytes.extend_from_slice(&unsigned_le(output.value));
        write_bytes(&mut bytes, &output.script);
    }
    sha256d(&bytes)
}

/// The reference pads the shortest bytes of a negative number with zeros.
fn unsigned_le(value: i64) -> [u8; 8] {
    let mut bytes = value.to_le_bytes();
    if value < 0 {
        let redundant = (value.leading_ones().saturating_sub(1) / 8) as usize;
        let kept = bytes.len() - redundant;
        bytes.iter_mut().skip(kept).for_each(|byte| *byte = 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;

    use super::*;

    #[test]
    fn negative_numbers_are_filled_up_with_zeros() {
        assert_eq!(unsigned_le(-1), [0xff, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(unsigned_le(-128), [0x80, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(unsigned_le(-129), [0x7f, 0xff, 0, 0, 0, 0, 0, 0]);
        assert_eq!(unsigned_le(i64::MIN), i64::MIN.to_le_bytes());
        assert_eq!(unsigned_le(128), 128_i64.to_le_bytes());
    }

    #[test]
    fn bip_143_native_p2wpkh_example() {
        let unsigned = hex!(
            "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d2"
            "79655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c9"
            "5a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000"
        );
        let transaction = Transaction::parse(&unsigned).expect("a transaction");
        let code = hex!("76a9141d0f172a0ecb48aee1be1f2687d2963ae33f71a188ac");
        let hash = segwit(&transaction, 1, &code, 600_000_000, 1).expect("an input");
        assert_eq!(hash.0, hex!("c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670"));
        assert!(segwit(&transaction, 2, &code, 1, 1).is_err());
        assert!(legacy(&transaction, 2, &code, 1).is_err());
    }

    #[test]
    fn a_missing_output_is_signed_as_one() {
        let mut transaction = Transaction::new(1);
        let previous = crate::transaction::OutPoint { txid: B256::ZERO, index: 0 };
        transaction.inputs.push(crate::transaction::Input::new(previous));
        assert_eq!(legacy(&transaction, 0, &[], SINGLE), Ok(NO_SUCH_OUTPUT));
    }
}
