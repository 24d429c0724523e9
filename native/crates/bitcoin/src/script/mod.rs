//! Bitcoin scripts, as the reference's Bitcoin library reads and writes them (bridge.md §3.4, §9).

pub mod builder;
pub mod chunk;
pub mod error;
pub mod opcode;

pub(crate) mod removal;
mod sig_ops;

use rhizome_primitives::bridge_spec::BitcoinSpec;

use crate::address::Address;
use crate::redeem_script::RedeemScript;
use opcode::{OP_CHECKSIG, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160, OP_RETURN};

pub use builder::{ScriptBuilder, signed_le};
pub use chunk::{Chunk, parse_chunks, write_chunks};
pub use error::ScriptError;
pub use sig_ops::signature_operations;

/// A script that parses, with its original bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script<'a> {
    program: &'a [u8],
    chunks: Vec<Chunk<'a>>,
}

impl<'a> Script<'a> {
    /// Parses a script.
    ///
    /// # Errors
    /// [`ScriptError::Script`] for a push past the end of the script.
    pub fn parse(program: &'a [u8]) -> Result<Self, ScriptError> {
        Ok(Self { program, chunks: parse_chunks(program)? })
    }

    /// Its bytes.
    #[must_use]
    pub const fn program(&self) -> &'a [u8] {
        self.program
    }

    /// Its elements.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk<'a>] {
        &self.chunks
    }

    /// True when it pays to the hash of a public key, whichever opcode pushes the hash.
    ///
    /// # Errors
    /// [`ScriptError::Other`] when an opcode without data takes the position of the hash.
    pub fn pays_to_public_key_hash(&self) -> Result<bool, ScriptError> {
        self.public_key_hash().map(|hash| hash.is_some())
    }

    /// The hash of the public key that it pays to, whichever opcode pushes the hash.
    ///
    /// # Errors
    /// [`ScriptError::Other`] when an opcode without data takes the position of the hash.
    pub fn public_key_hash(&self) -> Result<Option<[u8; 20]>, ScriptError> {
        let [dup, hash160, hash, equal, check] = &self.chunks[..] else { return Ok(None) };
        if !dup.is(OP_DUP) || !hash160.is(OP_HASH160) {
            return Ok(None);
        }
        let data = hash.data.ok_or(ScriptError::Other("an opcode stands in place of a hash"))?;
        Ok(data.try_into().ok().filter(|_| equal.is(OP_EQUALVERIFY) && check.is(OP_CHECKSIG)))
    }

    /// The hash of the script that it pays to. The bytes must match the pattern exactly.
    #[must_use]
    pub fn script_hash(&self) -> Option<[u8; 20]> {
        match self.program {
            [OP_HASH160, 20, hash @ .., OP_EQUAL] => hash.try_into().ok(),
            _ => None,
        }
    }

    /// True when it pays to the hash of a script.
    #[must_use]
    pub fn pays_to_script_hash(&self) -> bool {
        self.script_hash().is_some()
    }

    /// True when it pays to a public key itself.
    #[must_use]
    pub fn pays_to_public_key(&self) -> bool {
        matches!(&self.chunks[..], [key, check]
            if check.is(OP_CHECKSIG) && !key.is_opcode() && key.data.is_some_and(|data| data.len() > 1))
    }

    /// True when its first element is OP_RETURN.
    #[must_use]
    pub fn is_op_return(&self) -> bool {
        self.chunks.first().is_some_and(|chunk| chunk.is(OP_RETURN))
    }

    /// Parses it as a redeem script.
    ///
    /// # Errors
    /// As [`RedeemScript::parse`].
    pub fn redeem_script(&self) -> Result<RedeemScript<'a>, ScriptError> {
        RedeemScript::parse(&self.chunks)
    }

    /// True when it is a redeem script of several keys with a threshold above zero.
    ///
    /// # Errors
    /// The errors of [`RedeemScript::parse`] other than its script exception.
    pub fn is_multisig(&self) -> Result<bool, ScriptError> {
        match self.redeem_script() {
            Ok(redeem) => Ok(redeem.threshold() > 0),
            Err(error) if error.is_script() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Number of signatures that an input needs to spend this script.
    ///
    /// # Errors
    /// [`ScriptError::State`] when the number depends on a redeem script, or the script is unknown.
    pub fn signatures_required(&self) -> Result<i32, ScriptError> {
        if self.is_multisig()? {
            return self.redeem_script().map(|redeem| redeem.threshold());
        }
        if self.pays_to_public_key_hash()? || self.pays_to_public_key() {
            return Ok(1);
        }
        Err(ScriptError::State("the number of signatures is not known"))
    }

    /// The address that it pays to.
    ///
    /// # Errors
    /// [`ScriptError::Script`] for a script that pays to no address.
    pub fn address(&self, bitcoin: &BitcoinSpec) -> Result<Address, ScriptError> {
        if let Some(hash) = self.public_key_hash()? {
            return Ok(Address { version: bitcoin.address_version, hash });
        }
        let hash = self.script_hash().ok_or(ScriptError::Script("the script pays to no address"))?;
        Ok(Address { version: bitcoin.script_address_version, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(program: &[u8]) -> Script<'_> {
        Script::parse(program).expect("it parses")
    }

    #[test]
    fn an_opcode_in_place_of_a_hash_is_no_script_exception() {
        let program = [OP_DUP, OP_HASH160, OP_EQUALVERIFY, OP_EQUALVERIFY, OP_CHECKSIG];
        assert!(matches!(script(&program).pays_to_public_key_hash(), Err(ScriptError::Other(_))));
        assert_eq!(script(&program[..4]).pays_to_public_key_hash(), Ok(false));
    }

    #[test]
    fn a_hash_pushed_by_another_opcode() {
        let hash = [7; 20];
        let to_key = [&[OP_DUP, OP_HASH160, 0x4c, 20][..], &hash, &[OP_EQUALVERIFY, OP_CHECKSIG]].concat();
        assert_eq!(script(&to_key).pays_to_public_key_hash(), Ok(true));
        let to_script = [&[OP_HASH160, 0x4c, 20][..], &hash, &[OP_EQUAL]].concat();
        assert!(!script(&to_script).pays_to_script_hash());
    }

    #[test]
    fn empty_pushes_throw_where_a_threshold_is_expected() {
        let program = [0, 1, 7, OP_1_, 0xae];
        assert!(matches!(script(&program).is_multisig(), Err(ScriptError::Other(_))));
        assert_eq!(script(&program[1..]).is_multisig(), Ok(false));
    }

    const OP_1_: u8 = opcode::OP_1;
}
