//! Signatures in the slots of an input.

use rhizome_primitives::B256;

use super::{input, redeem_script};
use crate::key::PublicKey;
use crate::script::{Chunk, Script, ScriptBuilder, ScriptError, opcode};
use crate::signature::Signature;
use crate::transaction::{Input, Transaction};

/// The pushes between the first and the last one: signatures and empty slots.
fn slots(transaction: &Transaction, index: usize) -> Result<Vec<Option<&[u8]>>, ScriptError> {
    let input = input(transaction, index)?;
    let pushes: Vec<Option<&[u8]>> = if input.witness.is_empty() {
        let script = Script::parse(&input.script)?;
        script.chunks().iter().map(|chunk| chunk.data).collect()
    } else {
        input.witness.iter().map(|push| Some(&push[..])).collect()
    };
    Ok(pushes.get(1..pushes.len().saturating_sub(1)).unwrap_or_default().to_vec())
}

/// True when the input already has a signature by the key over `hash`.
///
/// # Errors
/// [`ScriptError::Other`] for a slot whose contents are not a signature.
pub fn is_signed_by(
    transaction: &Transaction,
    index: usize,
    key: &PublicKey,
    hash: &B256,
) -> Result<bool, ScriptError> {
    for slot in slots(transaction, index)? {
        let bytes = slot.ok_or(ScriptError::Other("an opcode stands in place of a signature"))?;
        if bytes.is_empty() {
            continue;
        }
        let signature = Signature::parse(bytes).map_err(|_| ScriptError::Other("a slot is no signature"))?;
        if key.verify(hash, &signature)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The position of a signature by `key` among the signatures that the input already has.
///
/// # Errors
/// [`ScriptError::State`] when the key is not in the redeem script, or a signature belongs to none of its keys;
/// otherwise the errors of the parts.
pub fn insertion_index(
    transaction: &Transaction,
    index: usize,
    key: &PublicKey,
    hash: &B256,
) -> Result<usize, ScriptError> {
    let input = input(transaction, index)?;
    let program = match input.witness.last() {
        Some(last) => &last[..],
        None => {
            let script = Script::parse(&input.script)?;
            let last = script.chunks().last().ok_or(ScriptError::Other("an empty script"))?;
            last.data.ok_or(ScriptError::Other("no redeem script is pushed"))?
        }
    };
    let pushes =
        if input.witness.is_empty() { Script::parse(&input.script)?.chunks().len() } else { input.witness.len() };
    if input.witness.is_empty() && pushes < 2 {
        return Err(ScriptError::Argument("nothing stands before the redeem script"));
    }
    let redeem = Script::parse(program)?.redeem_script()?;
    let key_index = redeem.find_key(key.as_bytes())?;
    let mut position = 0;
    for slot in slots(transaction, index)? {
        let signature = match slot {
            Some([]) => continue,
            Some(signature) => signature,
            None => return Err(ScriptError::Other("an opcode stands in place of a signature")),
        };
        if key_index < redeem.find_signature(signature, hash)? {
            return Ok(position);
        }
        position += 1;
    }
    Ok(position)
}

/// Inserts a signature, sighash byte included, before the existing one at `position`; empty slots are moved behind the
/// signatures.
///
/// # Errors
/// [`ScriptError::Argument`] when the last slot is taken; [`ScriptError::State`] when `position` is beyond the slots.
pub fn insert_signature(input: &mut Input, signature: &[u8], position: usize) -> Result<(), ScriptError> {
    if !input.witness.is_empty() {
        let is_empty = |push: &Vec<u8>| push.is_empty();
        input.witness = with_signature(&input.witness, signature.to_vec(), Vec::new(), position, is_empty)?;
        return Ok(());
    }
    let script = Script::parse(&input.script)?;
    let elements: Vec<Element> = script.chunks().iter().map(Element::of).collect::<Result<_, _>>()?;
    let mut pushed = ScriptBuilder::default();
    pushed.data(signature);
    let pushed = Element { opcode: signature.len() as u8, bytes: pushed.finish() };
    let empty = Element { opcode: opcode::OP_0, bytes: vec![opcode::OP_0] };
    let is_empty = |element: &Element| element.opcode == opcode::OP_0;
    let updated = with_signature(&elements, pushed, empty, position, is_empty)?;
    input.script = updated.into_iter().flat_map(|element| element.bytes).collect();
    Ok(())
}

/// An element of a script with its bytes.
#[derive(Clone)]
struct Element {
    opcode: u8,
    bytes: Vec<u8>,
}

impl Element {
    fn of(chunk: &Chunk<'_>) -> Result<Self, ScriptError> {
        let mut bytes = Vec::new();
        chunk.write(&mut bytes)?;
        Ok(Self { opcode: chunk.opcode, bytes })
    }
}

fn with_signature<T: Clone>(
    elements: &[T],
    signature: T,
    empty: T,
    position: usize,
    is_empty: impl Fn(&T) -> bool,
) -> Result<Vec<T>, ScriptError> {
    let [first, slots @ .., last] = elements else {
        return Err(ScriptError::Other("no slots for signatures"));
    };
    let before_last = slots.last().unwrap_or(first);
    if !is_empty(before_last) {
        return Err(ScriptError::Argument("every slot is taken"));
    }
    let mut updated = vec![first.clone()];
    let mut inserted = false;
    for slot in slots {
        if updated.len() - 1 == position {
            updated.push(signature.clone());
            inserted = true;
        }
        if !is_empty(slot) {
            updated.push(slot.clone());
        }
    }
    while updated.len() - 1 < slots.len() {
        let here = updated.len() - 1 == position;
        inserted |= here;
        updated.push(if here { signature.clone() } else { empty.clone() });
    }
    if !inserted {
        return Err(ScriptError::State("no slot at this position"));
    }
    updated.push(last.clone());
    Ok(updated)
}

/// Number of empty slots of the input.
///
/// # Errors
/// [`ScriptError::Argument`] without a redeem script; [`ScriptError::Script`] for an unknown one.
pub fn missing_signatures(transaction: &Transaction, index: usize) -> Result<usize, ScriptError> {
    let redeem = redeem_script(transaction, index)?.ok_or(ScriptError::Argument("an input without a redeem script"))?;
    let erp = Script::parse(redeem)?.redeem_script()?.has_erp_format();
    let mut slots = slots(transaction, index)?;
    if erp {
        // The last push selects the branch.
        slots.pop();
    }
    Ok(slots.iter().filter(|slot| slot.is_some_and(<[u8]>::is_empty)).count())
}

/// True when no input has an empty slot.
///
/// # Errors
/// As [`missing_signatures`].
pub fn has_enough_signatures(transaction: &Transaction) -> Result<bool, ScriptError> {
    for index in 0..transaction.inputs.len() {
        if missing_signatures(transaction, index)? > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
