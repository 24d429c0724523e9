//! Unspent outputs of the federations (bridge.md §2.3).

use rhizome_bitcoin::Script;
use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes};

use super::codec::{self, ListWriter, malformed};
use super::utxo_list::Utxos;
use super::{Frame, keys};

/// An output that a federation can spend. Two outputs are equal if their transaction and index are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utxo {
    /// Satoshi.
    pub value: i64,
    /// Output script; outputs of a list with equal scripts share the bytes.
    pub script: Bytes,
    /// Id of the transaction that created it.
    pub transaction: B256,
    /// Index among the outputs of that transaction.
    pub index: u32,
    /// Bitcoin height; always zero in outputs that the Bridge registers.
    pub height: i32,
    /// True when a coinbase transaction created it. Such an output is never spent (bridge.md §4.6).
    pub coinbase: bool,
}

#[derive(Default)]
pub(crate) struct UtxoCells {
    new: Option<Utxos>,
    old: Option<Utxos>,
}

impl Frame<'_> {
    /// Outputs of the newest federation, in order of registration. On the Bitcoin test network the list
    /// moves to another cell, and starts empty, at RSKIP284 and again at RSKIP293.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn new_utxos(&mut self) -> Result<&mut Utxos, ContractError> {
        if self.cells.utxos.new.is_none() {
            self.cells.utxos.new = Some(self.read_utxos(self.new_utxos_key())?);
        }
        Ok(self.cells.utxos.new.get_or_insert_default())
    }

    /// Outputs of the previous federation.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn old_utxos(&mut self) -> Result<&mut Utxos, ContractError> {
        if self.cells.utxos.old.is_none() {
            self.cells.utxos.old = Some(self.read_utxos(keys::OLD_UTXOS)?);
        }
        Ok(self.cells.utxos.old.get_or_insert_default())
    }

    fn new_utxos_key(&self) -> keys::Named {
        let testnet = self.bridge().bitcoin.network == BitcoinNetwork::Testnet;
        match (testnet && self.active(Rule::Rskip284), self.active(Rule::Rskip293)) {
            (false, _) => keys::NEW_UTXOS,
            (true, false) => keys::NEW_UTXOS_TESTNET_RSKIP284,
            (true, true) => keys::NEW_UTXOS_TESTNET_RSKIP293,
        }
    }

    fn read_utxos(&mut self, key: keys::Named) -> Result<Utxos, ContractError> {
        self.read(key.key())?.map_or(Ok(Utxos::default()), Utxos::decode)
    }

    pub(super) fn save_utxos(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.utxos);
        if let Some(utxos) = cells.new {
            self.write(self.new_utxos_key().key(), utxos.encode())?;
        }
        if let Some(utxos) = cells.old {
            self.write(keys::OLD_UTXOS.key(), utxos.encode())?;
        }
        Ok(())
    }
}

/// Reads a list of outputs.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_utxos(cell: &[u8]) -> Result<Vec<Utxo>, ContractError> {
    let mut last = Bytes::new();
    let decode = |item: codec::Item<'_>| decode_utxo(item.bytes()?, &mut last);
    codec::items(cell)?.into_iter().map(decode).collect()
}

/// A list of outputs as a cell.
pub fn encode_utxos(utxos: &[Utxo]) -> Vec<u8> {
    let mut out = ListWriter::default();
    let mut blob = Vec::new();
    for utxo in utxos {
        blob.clear();
        encode_utxo(utxo, &mut blob);
        out.bytes(&blob);
    }
    out.finish()
}

/// Decodes the blob of an output; `last` is the script of the previous one. Past the end of the blob, the height reads
/// as ones and the flag as zero.
fn decode_utxo(blob: &[u8], last: &mut Bytes) -> Result<Utxo, ContractError> {
    fn take<'a>(blob: &mut &'a [u8], length: usize) -> Result<&'a [u8], ContractError> {
        let (taken, rest) = blob.split_at_checked(length).ok_or_else(malformed)?;
        *blob = rest;
        Ok(taken)
    }
    fn array<const N: usize>(blob: &mut &[u8]) -> Result<[u8; N], ContractError> {
        take(blob, N)?.try_into().map_err(|_| malformed())
    }
    let mut rest = blob;
    let value = i64::from_le_bytes(array(&mut rest)?);
    let length = i32::from_le_bytes(array(&mut rest)?);
    let script = take(&mut rest, usize::try_from(length).map_err(|_| malformed())?)?;
    if *script != **last {
        Script::parse(script).map_err(|_| malformed())?;
        *last = Bytes::copy_from_slice(script);
    }
    let script = last.clone();
    let transaction = B256::new(array(&mut rest)?);
    let index = u32::from_le_bytes(array(&mut rest)?);
    let mut height = [0xff; 4];
    let present = rest.len().min(4);
    height[..present].copy_from_slice(take(&mut rest, present)?);
    let coinbase = rest.first() == Some(&1);
    Ok(Utxo { value, script, transaction, index, height: i32::from_le_bytes(height), coinbase })
}

fn encode_utxo(utxo: &Utxo, out: &mut Vec<u8>) {
    out.extend_from_slice(&amount(utxo.value));
    out.extend_from_slice(&(utxo.script.len() as u32).to_le_bytes());
    out.extend_from_slice(&utxo.script);
    out.extend_from_slice(utxo.transaction.as_slice());
    out.extend_from_slice(&utxo.index.to_le_bytes());
    out.extend_from_slice(&utxo.height.to_le_bytes());
    out.push(u8::from(utxo.coinbase));
}

/// Little-endian; a negative value has only the bytes that do not repeat the sign.
fn amount(value: i64) -> [u8; 8] {
    let mut bytes = value.to_le_bytes();
    if value < 0 {
        for at in (1..8).rev() {
            if bytes[at] != 0xff || bytes[at - 1] & 0x80 == 0 {
                break;
            }
            bytes[at] = 0;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_amounts_lose_their_sign() {
        assert_eq!(amount(-1), [0xff, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(amount(-256), [0, 0xff, 0, 0, 0, 0, 0, 0]);
        assert_eq!(amount(-129), [0x7f, 0xff, 0, 0, 0, 0, 0, 0]);
        assert_eq!(amount(300), [44, 1, 0, 0, 0, 0, 0, 0]);
    }
}
