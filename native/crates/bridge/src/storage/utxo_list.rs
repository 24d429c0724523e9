//! A list of outputs: decoded once for all calls that find the same cell, sorted once, and encoded only if it was
//! changed.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use rhizome_bitcoin::Script;
use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;

use super::recent::Recent;
use super::utxos::{Utxo, decode_utxos, encode_utxos};

thread_local! {
    static RECENT: RefCell<Recent<Utxos>> = const { RefCell::new(Recent::new()) };
}

/// Outputs in the order of their registration.
#[derive(Clone, Debug, Default)]
pub struct Utxos {
    list: Arc<List>,
    /// Its encoding, if it is known.
    cell: Option<Bytes>,
}

#[derive(Debug, Default)]
struct List {
    utxos: Vec<Utxo>,
    /// Indices in the order of selection.
    order: OnceLock<Vec<u32>>,
}

impl Clone for List {
    /// The clone is made to be changed, so it does not keep the order.
    fn clone(&self) -> Self {
        Self { utxos: self.utxos.clone(), order: OnceLock::new() }
    }
}

impl From<Vec<Utxo>> for Utxos {
    fn from(utxos: Vec<Utxo>) -> Self {
        Self { list: Arc::new(List { utxos, order: OnceLock::new() }), cell: None }
    }
}

impl Deref for Utxos {
    type Target = [Utxo];

    fn deref(&self) -> &[Utxo] {
        &self.list.utxos
    }
}

impl Utxos {
    /// Reads a cell.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub(crate) fn decode(cell: Bytes) -> Result<Self, ContractError> {
        if let Some(known) = RECENT.with_borrow_mut(|recent| recent.get(&cell)) {
            return Ok(known);
        }
        let mut utxos = Self::from(decode_utxos(&cell)?);
        // A cell in another form than ours is written back in ours.
        if encode_utxos(&utxos)[..] == cell[..] {
            utxos.cell = Some(cell.clone());
        }
        RECENT.with_borrow_mut(|recent| recent.put(cell, utxos.clone()));
        Ok(utxos)
    }

    /// The cell of the list.
    pub(crate) fn encode(mut self) -> Bytes {
        if let Some(cell) = self.cell {
            return cell;
        }
        let cell = Bytes::from(encode_utxos(&self));
        if self.reads_back() {
            self.cell = Some(cell.clone());
            RECENT.with_borrow_mut(|recent| recent.put(cell.clone(), self));
        }
        cell
    }

    /// True when its encoding decodes to the same list: negative amounts do not, and scripts that do not parse throw.
    fn reads_back(&self) -> bool {
        let mut known: &[u8] = &[];
        self.iter().all(|utxo| {
            let is_script = utxo.script[..] == *known || Script::parse(&utxo.script).is_ok();
            known = &utxo.script;
            is_script && utxo.value >= 0
        })
    }

    /// All outputs by transaction, then by index: the order of selection.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &Utxo> {
        let order = self.list.order.get_or_init(|| {
            let mut order: Vec<u32> = (0..self.len() as u32).collect();
            order.sort_by_key(|&at| {
                let utxo = &self[at as usize];
                (utxo.transaction, utxo.index as i32)
            });
            order
        });
        order.iter().map(|&at| &self[at as usize])
    }

    /// The list, to be changed.
    pub fn edit(&mut self) -> &mut Vec<Utxo> {
        self.cell = None;
        let list = Arc::make_mut(&mut self.list);
        list.order.take();
        &mut list.utxos
    }

    /// Adds outputs.
    pub(crate) fn extend(&mut self, utxos: Vec<Utxo>) {
        if !utxos.is_empty() {
            self.edit().extend(utxos);
        }
    }

    /// The first `limit` outputs.
    pub(crate) fn up_to(&self, limit: usize) -> Self {
        if self.len() <= limit { self.clone() } else { self[..limit].to_vec().into() }
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::B256;

    use super::*;

    fn utxo(value: i64, transaction: u8, index: u32) -> Utxo {
        let transaction = B256::repeat_byte(transaction);
        Utxo { value, script: vec![0x51].into(), transaction, index, height: 0, coinbase: false }
    }

    #[test]
    fn changes_do_not_reach_what_others_read() {
        let cell = Bytes::from(encode_utxos(&[utxo(1, 9, 0), utxo(2, 3, 1)]));
        let mut first = Utxos::decode(cell.clone()).expect("a list");
        assert_eq!(first.in_order().map(|utxo| utxo.value).collect::<Vec<_>>(), [2, 1]);
        first.extend(vec![utxo(3, 1, 0)]);
        assert_eq!(first.in_order().map(|utxo| utxo.value).collect::<Vec<_>>(), [3, 2, 1]);
        let second = Utxos::decode(cell.clone()).expect("a list");
        assert_eq!((second.len(), second.encode()), (2, cell));
        let longer = first.clone().encode();
        assert_eq!(decode_utxos(&longer).expect("a list"), first.to_vec());
        assert_eq!(Utxos::decode(longer).expect("a list").to_vec(), first.to_vec());
    }

    #[test]
    fn a_list_that_reads_back_otherwise_is_not_remembered() {
        let written = Utxos::from(vec![utxo(-1, 1, 0)]).encode();
        assert_eq!(Utxos::decode(written).expect("a list")[0].value, 0xff);
    }

    #[test]
    fn a_list_in_another_form_is_written_in_ours() {
        let ours = encode_utxos(&[utxo(1, 9, 0)]);
        // The length of the list is in the long form although it is short enough for ours; the bytes that follow are
        // not part of it.
        let other = Bytes::from([&ours[..], &[0x80]].concat());
        for _ in 0..2 {
            assert_eq!(Utxos::decode(other.clone()).expect("a list").encode()[..], ours[..]);
        }
    }
}
