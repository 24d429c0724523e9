//! Writes Bitcoin scripts as the reference's builder does (bridge.md §9).
//!
//! This is not the `bitcoin` crate's code, because that crate writes the number 16 as an opcode.

use super::ScriptError;
use super::opcode::OP_CHECKSIG;
use super::opcode::{OP_0, OP_1, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160, OP_PUSHDATA1, OP_PUSHDATA2};

pub use super::opcode::{OP_CHECKMULTISIG, OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_ELSE, OP_ENDIF, OP_NOTIF};

/// A script that is being built.
#[derive(Clone, Debug, Default)]
pub struct ScriptBuilder(Vec<u8>);

impl ScriptBuilder {
    /// Adds an opcode.
    pub fn op(&mut self, op: u8) -> &mut Self {
        self.0.push(op);
        self
    }

    /// Pushes data of at most 65,535 bytes; one byte of 1 to 16 becomes an opcode.
    pub fn data(&mut self, data: &[u8]) -> &mut Self {
        match data {
            [small @ 1..=16] => self.op(OP_1 + small - 1),
            _ => self.push_plainly(data),
        }
    }

    /// Pushes data of at most 65,535 bytes with the shortest opcode that is followed by data.
    pub(crate) fn push_plainly(&mut self, data: &[u8]) -> &mut Self {
        match data.len() {
            short @ 0..=0x4b => self.0.push(short as u8),
            byte @ 0x4c..=0xff => self.0.extend_from_slice(&[OP_PUSHDATA1, byte as u8]),
            long => self.0.extend_from_slice(&[OP_PUSHDATA2, long as u8, (long >> 8) as u8]),
        }
        self.0.extend_from_slice(data);
        self
    }

    /// A count of keys or signatures, or another small number: an opcode from 0 to 15, data from 16 on.
    pub fn number(&mut self, number: usize) -> &mut Self {
        match number {
            0 => self.0.push(OP_0),
            1..=15 => self.0.push(OP_1 + number as u8 - 1),
            _ => {
                let bytes = signed_le(number as u32);
                self.0.push(bytes.len() as u8);
                self.0.extend_from_slice(&bytes);
            }
        }
        self
    }

    /// Appends the bytes of another script.
    pub fn raw(&mut self, script: &[u8]) -> &mut Self {
        self.0.extend_from_slice(script);
        self
    }

    /// The bytes of the script.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Minimal little-endian bytes of a positive script number.
#[must_use]
pub fn signed_le(value: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = value.to_le_bytes().to_vec();
    while bytes.len() > 1 && bytes.ends_with(&[0]) {
        bytes.pop();
    }
    if bytes.last().is_some_and(|byte| byte & 0x80 != 0) {
        bytes.push(0);
    }
    bytes
}

/// The script that pays to the hash of a public key.
#[must_use]
pub fn pay_to_public_key_hash(hash: &[u8; 20]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.op(OP_DUP).op(OP_HASH160).data(hash).op(OP_EQUALVERIFY).op(OP_CHECKSIG);
    builder.finish()
}

/// The script that pays to the hash of a script.
#[must_use]
pub fn pay_to_script_hash(hash: &[u8; 20]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.op(OP_HASH160).data(hash).op(OP_EQUAL);
    builder.finish()
}

/// The witness program of a redeem script: the preimage of the hash that is paid to, and the push in the script of an
/// input that spends it.
#[must_use]
pub fn witness_program(redeem_script: &[u8]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.number(0).data(rhizome_crypto::sha256(redeem_script).as_slice());
    builder.finish()
}

/// The script that requires `threshold` signatures of the keys, in their order.
///
/// # Errors
/// [`ScriptError::Argument`] for an impossible threshold or more than twenty keys.
pub fn multisig<K: AsRef<[u8]>>(threshold: usize, keys: &[K]) -> Result<Vec<u8>, ScriptError> {
    if threshold == 0 || threshold > keys.len() || keys.len() > 20 {
        return Err(ScriptError::Argument("a script of several keys has a threshold and at most twenty keys"));
    }
    let mut builder = ScriptBuilder::default();
    builder.number(threshold);
    keys.iter().for_each(|key| {
        builder.data(key.as_ref());
    });
    builder.number(keys.len()).op(OP_CHECKMULTISIG);
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::parse_chunks;

    #[test]
    fn script_numbers_are_minimal_and_positive() {
        assert_eq!(signed_le(52_560), [0x50, 0xcd, 0]);
        assert_eq!(signed_le(500), [0xf4, 1]);
        assert_eq!(signed_le(127), [127]);
        assert_eq!(signed_le(128), [128, 0]);
        assert_eq!(signed_le(0x8000_0000), [0, 0, 0, 0x80, 0]);
    }

    #[test]
    fn data_of_every_length_reads_back() {
        for length in [0, 1, 20, 75, 76, 255, 256, 520, 3_600, 65_535] {
            let data = vec![0x99; length];
            let mut builder = ScriptBuilder::default();
            builder.data(&data);
            let program = builder.finish();
            let chunks = parse_chunks(&program).expect("it parses");
            assert_eq!(chunks.len(), 1);
            assert_eq!(chunks[0].data, Some(&data[..]), "{length}");
        }
    }

    #[test]
    fn sixteen_is_an_opcode_as_data_and_data_as_a_number() {
        let mut builder = ScriptBuilder::default();
        builder.data(&[16]).number(16).number(15).number(0);
        assert_eq!(builder.finish(), [0x60, 1, 16, 0x5f, 0]);
    }

    #[test]
    fn thresholds() {
        let keys = vec![[2; 33]; 20];
        assert!(multisig(20, &keys).is_ok());
        assert!(multisig(0, &keys).is_err());
        assert!(multisig(21, &keys).is_err());
        assert!(multisig(1, &vec![[2; 33]; 21]).is_err());
    }
}
