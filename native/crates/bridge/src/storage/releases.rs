//! Records of the peg-outs that the Bridge created (RSKIP305, RSKIP379).

use std::collections::{BTreeMap, BTreeSet};

use rhizome_bitcoin::write_var_int;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::flyover::MARK;
use super::{Frame, keys};

#[derive(Default)]
pub(crate) struct ReleaseCells {
    signature_hashes: BTreeSet<B256>,
    outpoint_values: BTreeMap<B256, Vec<i64>>,
}

fn failed<T>(reason: &str) -> Result<T, ContractError> {
    Err(ContractError::Failed(reason.into()))
}

impl Frame<'_> {
    /// True when a peg-out with this signature hash was created (RSKIP379). Those of this call are not visible before the
    /// save.
    pub(crate) fn has_pegout_signature_hash(&mut self, hash: B256) -> Result<bool, ContractError> {
        if !self.active(Rule::Rskip379) {
            return Ok(false);
        }
        let key = keys::PEGOUT_SIGNATURE_HASH.key_of_hash(hash);
        Ok(self.read(key)?.is_some_and(|mark| mark[..] == *MARK))
    }

    /// Records the signature hash of a peg-out (RSKIP379); a hash that is stored already is an error.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn add_pegout_signature_hash(&mut self, hash: B256) -> Result<(), ContractError> {
        if !self.active(Rule::Rskip379) {
            return Ok(());
        }
        if self.has_pegout_signature_hash(hash)? {
            return failed("the signature hash of a peg-out is known");
        }
        self.cells.releases.signature_hashes.insert(hash);
        Ok(())
    }

    /// Values in satoshi of the outputs that a release spends, by input (RSKIP305). An error before that rule.
    pub(crate) fn outpoint_values(&mut self, transaction: B256) -> Result<Option<Vec<i64>>, ContractError> {
        if !self.active(Rule::Rskip305) {
            return failed("values of outpoints are not stored yet");
        }
        if let Some(values) = self.cells.releases.outpoint_values.get(&transaction) {
            return Ok(Some(values.clone()));
        }
        let cell = self.read(keys::OUTPOINT_VALUES.key_of_hash(transaction))?;
        cell.map(|cell| decode_outpoint_values(&cell)).transpose()
    }

    /// Records the values that a release spends (RSKIP305); values that are stored already, or an empty list, are an
    /// error.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn set_outpoint_values(&mut self, transaction: B256, values: Vec<i64>) -> Result<(), ContractError> {
        if !self.active(Rule::Rskip305) {
            return Ok(());
        }
        if values.is_empty() {
            return failed("a release without inputs");
        }
        if self.read(keys::OUTPOINT_VALUES.key_of_hash(transaction))?.is_some() {
            return failed("the values of a release are known");
        }
        self.cells.releases.outpoint_values.insert(transaction, values);
        Ok(())
    }

    pub(super) fn save_releases(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.releases);
        for hash in cells.signature_hashes {
            self.write(keys::PEGOUT_SIGNATURE_HASH.key_of_hash(hash), MARK.to_vec())?;
        }
        for (transaction, values) in cells.outpoint_values {
            self.write(keys::OUTPOINT_VALUES.key_of_hash(transaction), encode_outpoint_values(&values)?)?;
        }
        Ok(())
    }
}

/// Writes Bitcoin's variable-length integers one after the other.
///
/// # Errors
/// [`ContractError::Failed`] when a value is negative.
pub fn encode_outpoint_values(values: &[i64]) -> Result<Vec<u8>, ContractError> {
    let mut out = Vec::new();
    for &value in values {
        let Ok(value) = u64::try_from(value) else {
            return failed("the value of an outpoint is negative");
        };
        write_var_int(&mut out, value);
    }
    Ok(out)
}

/// Reads what [`encode_outpoint_values`] writes. An integer in a longer form than necessary is accepted, and the next
/// one begins where the shortest form would have ended.
///
/// # Errors
/// [`ContractError::Failed`] when the bytes end inside a number, or one is negative.
pub fn decode_outpoint_values(bytes: &[u8]) -> Result<Vec<i64>, ContractError> {
    let mut values = Vec::new();
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let length = match first {
            0xfd => 2,
            0xfe => 4,
            0xff => 8,
            _ => 0,
        };
        let Some(number) = after.get(..length) else {
            return failed("the value of an outpoint is cut off");
        };
        let value = match length {
            0 => i64::from(first),
            _ => number.iter().rev().fold(0, |value, &byte| value << 8 | i64::from(byte)),
        };
        if value < 0 {
            return failed("the value of an outpoint is negative");
        }
        values.push(value);
        rest = &rest[encode_outpoint_values(&[value])?.len()..];
    }
    Ok(values)
}
