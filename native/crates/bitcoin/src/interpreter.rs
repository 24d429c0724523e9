//! Whether an input's script spends an output that pays to the hash of a script (bridge.md §4.2).
//!
//! This is not the `bitcoin` crate's code, because signatures are over the reference's legacy hash. It executes the
//! opcodes of federations' redeem scripts: pushes, branches, the check of an age, and the check of several signatures.

use std::borrow::Cow;

use rhizome_crypto::hash160;

use crate::key::PublicKey;
use crate::script::opcode::{
    OP_16, OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY, OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_ELSE, OP_ENDIF, OP_IF,
    OP_NOTIF, small_number,
};
use crate::script::{Chunk, Script, ScriptBuilder, ScriptError, removal};
use crate::sighash;
use crate::signature::{Signature, is_canonical};
use crate::transaction::Transaction;

const MAX_SCRIPT_BYTES: usize = 10_000;
const MAX_ELEMENT_BYTES: usize = 520;
const MAX_OPERATIONS: usize = 201;
const MAX_KEYS: i64 = 20;
const MAX_STACK: usize = 1_000;

/// Bit that exempts a sequence from the check of ages.
const SEQUENCE_DISABLED: u64 = 1 << 31;
/// Bit that distinguishes times from heights.
const SEQUENCE_IS_TIME: u64 = 1 << 22;
/// Bits of a sequence that are compared.
const SEQUENCE_MASK: u64 = SEQUENCE_IS_TIME | 0xffff;
/// From this version on, ages are checked.
const VERSION_WITH_AGES: u32 = 2;

type Element<'a> = Cow<'a, [u8]>;

/// Checks that the input spends an output with the script `script_pubkey`, which pays to the hash of a script, under
/// all rules that the reference knows. The reference does not know witnesses, so the script of an input with a witness
/// need only push the program that is hashed.
///
/// # Errors
/// [`ScriptError::Script`] when it does not, and for a redeem script with opcodes that federations do not use.
pub fn correctly_spends(transaction: &Transaction, index: usize, script_pubkey: &[u8]) -> Result<(), ScriptError> {
    let input = transaction.inputs.get(index).ok_or(ScriptError::Other("there is no such input"))?;
    let script = Script::parse(&input.script)?;
    let output = Script::parse(script_pubkey)?;
    if input.script.len() > MAX_SCRIPT_BYTES || script_pubkey.len() > MAX_SCRIPT_BYTES {
        return Err(ScriptError::Script("a script of more than 10,000 bytes"));
    }
    let hash = output.script_hash().ok_or(ScriptError::Script("the output pays to no hash of a script"))?;
    let mut stack = pushes(&script)?;
    let redeem = stack.pop().ok_or(ScriptError::Script("the input pushes nothing"))?;
    if hash160(&redeem) != hash {
        return Err(ScriptError::Script("the hash of the redeem script differs"));
    }
    let redeem = Script::parse(&redeem)?;
    let mut machine = Machine { transaction, index, redeem: &redeem, stack, branches: Vec::new(), operations: 0 };
    machine.run()?;
    match machine.stack.last() {
        Some(top) if is_true(top) => Ok(()),
        _ => Err(ScriptError::Script("the redeem script ends without true")),
    }
}

/// The elements that a push-only script pushes.
fn pushes<'a>(script: &Script<'a>) -> Result<Vec<Element<'a>>, ScriptError> {
    let mut stack = Vec::new();
    for chunk in script.chunks() {
        stack.push(pushed(chunk)?);
        if stack.len() > MAX_STACK {
            return Err(ScriptError::Script("the stack is full"));
        }
    }
    Ok(stack)
}

fn pushed<'a>(chunk: &Chunk<'a>) -> Result<Element<'a>, ScriptError> {
    if let Some(data) = chunk.data {
        if data.len() > MAX_ELEMENT_BYTES {
            return Err(ScriptError::Script("a push of more than 520 bytes"));
        }
        return Ok(Cow::Borrowed(data));
    }
    match small_number(chunk.opcode) {
        Some(-1) => Ok(Cow::Borrowed(&[0x81])),
        Some(0) => Ok(Cow::Borrowed(&[])),
        Some(number) => Ok(Cow::Owned(vec![number as u8])),
        None => Err(ScriptError::Script("an operation stands among the pushes")),
    }
}

/// An element is false if it is zero, in any length and with either sign.
fn is_true(element: &[u8]) -> bool {
    match element {
        [rest @ .., 0 | 0x80] => rest.iter().any(|byte| *byte != 0),
        [] => false,
        _ => true,
    }
}

/// A number in at most `longest` bytes, lowest first, the sign in the highest bit.
fn number(element: &[u8], longest: usize) -> Result<i64, ScriptError> {
    let Some((last, rest)) = element.split_last() else { return Ok(0) };
    if element.len() > longest {
        return Err(ScriptError::Script("a number of too many bytes"));
    }
    let magnitude = rest.iter().rev().fold(i64::from(last & 0x7f), |value, byte| value << 8 | i64::from(*byte));
    Ok(if last & 0x80 == 0 { magnitude } else { -magnitude })
}

struct Machine<'a> {
    transaction: &'a Transaction,
    index: usize,
    redeem: &'a Script<'a>,
    stack: Vec<Element<'a>>,
    branches: Vec<bool>,
    operations: usize,
}

impl<'a> Machine<'a> {
    fn run(&mut self) -> Result<(), ScriptError> {
        for chunk in self.redeem.chunks() {
            self.step(chunk)?;
            if self.stack.len() > MAX_STACK {
                return Err(ScriptError::Script("the stack is full"));
            }
        }
        if self.branches.is_empty() { Ok(()) } else { Err(ScriptError::Script("a branch does not end")) }
    }

    fn step(&mut self, chunk: &Chunk<'a>) -> Result<(), ScriptError> {
        let runs = !self.branches.contains(&false);
        if chunk.opcode > OP_16 {
            self.count(1)?;
        } else {
            let element = if runs || chunk.data.is_some() { Some(pushed(chunk)?) } else { None };
            self.stack.extend(element.filter(|_| runs));
            return Ok(());
        }
        match chunk.opcode {
            OP_IF | OP_NOTIF if !runs => self.branches.push(false),
            OP_IF | OP_NOTIF => {
                let condition = is_true(&self.pop()?);
                self.branches.push(condition == (chunk.opcode == OP_IF));
            }
            OP_ELSE => {
                let branch = self.branches.last_mut().ok_or(ScriptError::Script("ELSE without a branch"))?;
                *branch = !*branch;
            }
            OP_ENDIF => {
                self.branches.pop().ok_or(ScriptError::Script("ENDIF without a branch"))?;
            }
            OP_DROP | OP_CHECKSEQUENCEVERIFY | OP_CHECKMULTISIG | OP_CHECKMULTISIGVERIFY if !runs => {}
            OP_DROP => {
                self.pop()?;
            }
            OP_CHECKSEQUENCEVERIFY => self.check_sequence()?,
            OP_CHECKMULTISIG => {
                let valid = self.check_multisig()?;
                self.stack.push(Cow::Borrowed(if valid { &[1] } else { &[] }));
            }
            OP_CHECKMULTISIGVERIFY => {
                if !self.check_multisig()? {
                    return Err(ScriptError::Script("the signatures are not right"));
                }
            }
            _ => return Err(ScriptError::Script("an operation of no federation's redeem script")),
        }
        Ok(())
    }

    fn count(&mut self, operations: usize) -> Result<(), ScriptError> {
        self.operations += operations;
        if self.operations > MAX_OPERATIONS { Err(ScriptError::Script("too many operations")) } else { Ok(()) }
    }

    fn pop(&mut self) -> Result<Element<'a>, ScriptError> {
        self.stack.pop().ok_or(ScriptError::Script("the stack is empty"))
    }

    /// Pops that many elements, the top one first, if `spare` more are below.
    fn pop_many(&mut self, count: usize, spare: usize) -> Result<Vec<Element<'a>>, ScriptError> {
        if self.stack.len() < count + spare {
            return Err(ScriptError::Script("the stack is too short"));
        }
        let mut taken = self.stack.split_off(self.stack.len() - count);
        taken.reverse();
        Ok(taken)
    }

    fn check_sequence(&self) -> Result<(), ScriptError> {
        let top = self.stack.last().ok_or(ScriptError::Script("the stack is empty"))?;
        let asked = u64::try_from(number(top, 5)?).map_err(|_| ScriptError::Script("a negative age"))?;
        if asked & SEQUENCE_DISABLED != 0 {
            return Ok(());
        }
        let input = self.transaction.inputs.get(self.index).ok_or(ScriptError::Other("there is no such input"))?;
        let sequence = u64::from(input.sequence);
        let (asked, has) = (asked & SEQUENCE_MASK, sequence & SEQUENCE_MASK);
        let same_kind = (asked & SEQUENCE_IS_TIME) == (has & SEQUENCE_IS_TIME);
        let keeps = self.transaction.version >= VERSION_WITH_AGES && sequence & SEQUENCE_DISABLED == 0;
        if keeps && same_kind && asked <= has { Ok(()) } else { Err(ScriptError::Script("the output is too young")) }
    }

    fn check_multisig(&mut self) -> Result<bool, ScriptError> {
        if self.stack.len() < 2 {
            return Err(ScriptError::Script("the stack is too short"));
        }
        let keys = number(&self.pop()?, 4)?;
        if !(0..=MAX_KEYS).contains(&keys) {
            return Err(ScriptError::Script("an impossible number of keys"));
        }
        self.count(keys as usize)?;
        let keys = self.pop_many(keys as usize, 1)?;
        let signatures = number(&self.pop()?, 4)?;
        if !(0..=keys.len() as i64).contains(&signatures) {
            return Err(ScriptError::Script("an impossible number of signatures"));
        }
        let signatures = self.pop_many(signatures as usize, 1)?;
        let mut script = self.redeem.program().to_vec();
        for signature in &signatures {
            let mut pushed = ScriptBuilder::default();
            pushed.push_plainly(signature);
            script = removal::without(&script, &pushed.finish())?;
        }
        let valid = self.signatures_match(&keys, &signatures, &script);
        // One extra element is popped; it must be empty.
        if !self.pop()?.is_empty() {
            return Err(ScriptError::Script("the spare element is not empty"));
        }
        Ok(valid)
    }

    /// True when the signatures match keys in the same order. A key or signature that cannot be parsed does not match.
    fn signatures_match(&self, keys: &[Element<'a>], signatures: &[Element<'a>], script: &[u8]) -> bool {
        let mut keys = keys.iter();
        let mut signatures = signatures.iter().peekable();
        while let Some(signature) = signatures.peek() {
            let Some(key) = keys.next() else { return false };
            if self.matches(key, signature, script) {
                signatures.next();
            }
            if signatures.len() > keys.len() {
                return false;
            }
        }
        true
    }

    fn matches(&self, key: &[u8], signature: &[u8], script: &[u8]) -> bool {
        let Some(sighash) = signature.last().filter(|_| is_canonical(signature)) else { return false };
        let Ok(hash) = sighash::legacy(self.transaction, self.index, script, *sighash) else { return false };
        let (Ok(key), Ok(signature)) = (PublicKey::parse(key), Signature::parse(signature)) else { return false };
        key.verify(&hash, &signature).unwrap_or(false)
    }
}
