//! Bitcoin transactions (bridge.md §3, §9).
//!
//! This is not the `bitcoin` crate's code, because that crate refuses what the reference's library accepts: trailing
//! bytes, lengths in longer encodings than necessary, witnesses without a push, negative values.

mod verify;

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;
use thiserror::Error;

use crate::merkle_branch::reversed;
use crate::reader::{Reader, Unparsable, write_bytes, write_var_int};

pub use verify::TransactionViolation;

/// Maximum number of satoshi that can exist.
pub const MAX_MONEY: i64 = 21_000_000 * 100_000_000;

/// Sequence of an input that is exempt from lock times.
pub const FINAL_SEQUENCE: u32 = u32::MAX;

/// Marker and flag of a transaction with witnesses.
const MARKER_AND_FLAG: [u8; 2] = [0, 1];

/// Refers to an output of another transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutPoint {
    /// Id of the transaction, in display order.
    pub txid: B256,
    /// Index of the output.
    pub index: u32,
}

impl OutPoint {
    /// True when it refers to no output, as in the only input of a coinbase.
    #[must_use]
    pub fn is_coinbase(&self) -> bool {
        self.txid == B256::ZERO && self.index == u32::MAX
    }
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The output that it spends.
    pub previous: OutPoint,
    /// Its script, which need not be valid.
    pub script: Vec<u8>,
    /// Sequence number.
    pub sequence: u32,
    /// Pushes of its witness.
    pub witness: Vec<Vec<u8>>,
}

impl Input {
    /// An input without script and witness, final.
    #[must_use]
    pub const fn new(previous: OutPoint) -> Self {
        Self { previous, script: Vec::new(), sequence: FINAL_SEQUENCE, witness: Vec::new() }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(reversed(self.previous.txid).as_slice());
        out.extend_from_slice(&self.previous.index.to_le_bytes());
        write_bytes(out, &self.script);
        out.extend_from_slice(&self.sequence.to_le_bytes());
    }
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Satoshi; a parsed one can be negative.
    pub value: i64,
    /// Its script, which need not be valid.
    pub script: Vec<u8>,
}

impl Output {
    /// Bytes of the output.
    #[must_use]
    pub fn serialize(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.script.len() + 17);
        self.write(&mut out);
        out
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.value.to_le_bytes());
        write_bytes(out, &self.script);
    }
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Version.
    pub version: u32,
    /// Inputs, with the witness of each.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// Lock time.
    pub lock_time: u32,
}

/// The bytes are not a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TransactionError {
    /// They end early, or have an impossible length.
    #[error("the bytes are no Bitcoin transaction")]
    Malformed,
    /// A flag other than that of witnesses.
    #[error("the Bitcoin transaction has unknown optional data")]
    UnknownFlag,
}

impl From<Unparsable> for TransactionError {
    fn from(_: Unparsable) -> Self {
        Self::Malformed
    }
}

impl Transaction {
    /// A transaction without inputs and outputs, lock time 0.
    #[must_use]
    pub const fn new(version: u32) -> Self {
        Self { version, inputs: Vec::new(), outputs: Vec::new(), lock_time: 0 }
    }

    /// Reads a transaction; bytes that follow are ignored.
    ///
    /// # Errors
    /// [`TransactionError`] where the reference's library throws.
    pub fn parse(bytes: &[u8]) -> Result<Self, TransactionError> {
        Self::read(bytes).map(|(transaction, _)| transaction)
    }

    /// Like [`Transaction::parse`], with the number of bytes that were read.
    ///
    /// # Errors
    /// As [`Transaction::parse`].
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), TransactionError> {
        let mut reader = Reader::new(bytes);
        let version = reader.u32()?;
        let mut inputs = read_inputs(&mut reader)?;
        let mut outputs = Vec::new();
        if inputs.is_empty() {
            let [flag] = reader.array()?;
            if flag != 0 {
                inputs = read_inputs(&mut reader)?;
                outputs = read_outputs(&mut reader)?;
            }
            if flag & 1 != 0 {
                read_witnesses(&mut reader, &mut inputs)?;
            }
            if flag & !1 != 0 {
                return Err(TransactionError::UnknownFlag);
            }
        } else {
            outputs = read_outputs(&mut reader)?;
        }
        let lock_time = reader.u32()?;
        Ok((Self { version, inputs, outputs, lock_time }, bytes.len() - reader.rest.len()))
    }

    /// True when any input has a witness with at least one push, which may be empty.
    #[must_use]
    pub fn has_witness(&self) -> bool {
        self.inputs.iter().any(|input| !input.witness.is_empty())
    }

    /// Its bytes, with witnesses when it has any.
    #[must_use]
    pub fn serialize(&self) -> Vec<u8> {
        self.write(self.has_witness())
    }

    /// Its bytes without witnesses.
    #[must_use]
    pub fn serialize_without_witness(&self) -> Vec<u8> {
        self.write(false)
    }

    fn write(&self, with_witness: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(&self.version.to_le_bytes());
        if with_witness {
            out.extend_from_slice(&MARKER_AND_FLAG);
        }
        write_var_int(&mut out, self.inputs.len() as u64);
        self.inputs.iter().for_each(|input| input.write(&mut out));
        write_var_int(&mut out, self.outputs.len() as u64);
        self.outputs.iter().for_each(|output| output.write(&mut out));
        if with_witness {
            for input in &self.inputs {
                write_var_int(&mut out, input.witness.len() as u64);
                input.witness.iter().for_each(|push| write_bytes(&mut out, push));
            }
        }
        out.extend_from_slice(&self.lock_time.to_le_bytes());
        out
    }

    /// Its id: the hash without witnesses, in display order.
    #[must_use]
    pub fn txid(&self) -> B256 {
        display_hash(&self.serialize_without_witness())
    }

    /// The hash of its bytes with witnesses, in display order.
    #[must_use]
    pub fn wtxid(&self) -> B256 {
        display_hash(&self.serialize())
    }

    /// True when it is a coinbase: its only input spends no output.
    #[must_use]
    pub fn is_coinbase(&self) -> bool {
        matches!(&self.inputs[..], [input] if input.previous.is_coinbase())
    }

    /// Sum of its outputs; None when it exceeds 64 bits, in which case the reference throws.
    #[must_use]
    pub fn output_sum(&self) -> Option<i64> {
        self.outputs.iter().try_fold(0_i64, |sum, output| sum.checked_add(output.value))
    }
}

/// Double SHA-256 in display order: for raw transaction bytes this is the hash that proofs refer to.
#[must_use]
pub fn display_hash(bytes: &[u8]) -> B256 {
    reversed(sha256d(bytes))
}

fn read_inputs(reader: &mut Reader<'_>) -> Result<Vec<Input>, Unparsable> {
    let mut inputs = Vec::new();
    for _ in 0..reader.list_length()? {
        let txid = reversed(B256::from(reader.array()?));
        let previous = OutPoint { txid, index: reader.u32()? };
        let script = reader.bytes()?.to_vec();
        inputs.push(Input { previous, script, sequence: reader.u32()?, witness: Vec::new() });
    }
    Ok(inputs)
}

fn read_outputs(reader: &mut Reader<'_>) -> Result<Vec<Output>, Unparsable> {
    let mut outputs = Vec::new();
    for _ in 0..reader.list_length()? {
        let value = i64::from_le_bytes(reader.array()?);
        outputs.push(Output { value, script: reader.bytes()?.to_vec() });
    }
    Ok(outputs)
}

fn read_witnesses(reader: &mut Reader<'_>, inputs: &mut [Input]) -> Result<(), Unparsable> {
    for input in inputs {
        for _ in 0..reader.list_length()? {
            input.witness.push(reader.bytes()?.to_vec());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn transaction(outputs: &[i64]) -> Transaction {
        let mut made = Transaction::new(2);
        made.inputs.push(Input::new(OutPoint { txid: B256::repeat_byte(7), index: 1 }));
        made.outputs.extend(outputs.iter().map(|value| Output { value: *value, script: vec![0x51] }));
        made
    }

    #[test]
    fn both_forms_round_trip_and_the_id_leaves_witnesses_out() {
        let plain = transaction(&[5]);
        let bytes = plain.serialize();
        assert_eq!(Transaction::read(&bytes), Ok((plain.clone(), bytes.len())));
        let mut signed = plain.clone();
        signed.inputs[0].witness = vec![Vec::new()];
        let with_witness = signed.serialize();
        assert_eq!(with_witness.len(), bytes.len() + 2 + 2);
        assert_eq!(Transaction::parse(&with_witness), Ok(signed.clone()));
        assert_eq!(signed.txid(), plain.txid());
        assert_ne!(signed.wtxid(), plain.wtxid());
        for length in 0..with_witness.len() {
            assert!(Transaction::parse(&with_witness[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn flags_of_no_witness() {
        let nothing = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(Transaction::read(&nothing), Ok((Transaction::new(2), 10)));
        let mut signed = transaction(&[5]);
        signed.inputs[0].witness = vec![vec![1]];
        let mut bytes = signed.serialize();
        bytes[5] = 3;
        assert_eq!(Transaction::parse(&bytes), Err(TransactionError::UnknownFlag));
        bytes[5] = 2;
        assert_eq!(Transaction::parse(&bytes), Err(TransactionError::UnknownFlag));
    }
}
