//! Keys and rows of the table of the head.
//!
//! | key | row |
//! |---|---|
//! | `01` ∥ identity | stamp, flags, incarnation, hash and length of the code, the trie's value of the account |
//! | `02` ∥ address ∥ incarnation ∥ length of the slot ∥ minimal slot | stamp, then `00` ∥ value, or `01` ∥ hash ∥ length of a long one |
//! | `03` and `04` instead of `02` ∥ address | the same for the two accounts without an address |
//!
//! Keys are raw: nothing is hashed to read, and the cells of a contract lie together. What stands behind the stamp is the
//! value of the row; a row without one is the mark that a deleted key leaves.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::{B256, Bytes, U256};
use smallvec::SmallVec;

use crate::head_changes::CellValue;

/// The longest has 58 bytes.
pub(crate) type RowKey = SmallVec<[u8; 64]>;

pub(crate) const ACCOUNTS: u8 = 0x01;
pub(crate) const CELLS: u8 = 0x02;
pub(crate) const CELLS_OF_REMASC_SENDER: u8 = 0x03;
pub(crate) const CELLS_OF_NO_ADDRESS: u8 = 0x04;

const HAS_ACCOUNT: u8 = 1;
const HAS_CODE: u8 = 2;
const HAS_MARKER: u8 = 4;
const HAS_INCARNATION: u8 = 8;
const HERE: u8 = 0;
const APART: u8 = 1;

/// Bytes of a stamp.
pub(crate) const STAMP_BYTES: usize = 5;

/// Counts of changes from here on are not distinguished.
pub(crate) const MAX_COUNT: u8 = 7;

/// Block at which a row changed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The step by which it changed, see [`crate::head_mark`]; zero for none that is known.
    pub(crate) step: u64,
    /// Number of its changes, as far as they are counted.
    pub(crate) count: u8,
}

impl Stamp {
    /// The stamp of the row when it changes again.
    pub(crate) fn next(self, step: u64) -> Self {
        Self { step, count: (self.count + 1).min(MAX_COUNT) }
    }

    pub(crate) fn encode(self) -> [u8; STAMP_BYTES] {
        let [_, _, _, bytes @ ..] = (self.step << 3 | u64::from(self.count)).to_be_bytes();
        bytes
    }
}

/// Stamp and value of a row; no bytes stand for a row that is not there. None for bytes that are no row.
pub(crate) fn split_row(row: &[u8]) -> Option<(Stamp, &[u8])> {
    if row.is_empty() {
        return Some((Stamp::default(), row));
    }
    let (stamp, value) = row.split_at_checked(STAMP_BYTES)?;
    let number = stamp.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    Some((Stamp { step: number >> 3, count: (number & 7) as u8 }, value))
}

/// Key of an account.
pub(crate) fn account_key(account: &AccountRef) -> RowKey {
    let mut key = RowKey::new();
    key.push(ACCOUNTS);
    key.extend_from_slice(account.as_bytes());
    key
}

/// Prefix of the keys of an account's cells.
pub(crate) fn cells_prefix(account: &AccountRef, incarnation: u32) -> RowKey {
    let mut key = RowKey::new();
    match account {
        AccountRef::Address(address) => {
            key.push(CELLS);
            key.extend_from_slice(address.as_slice());
        }
        AccountRef::RemascSender => key.push(CELLS_OF_REMASC_SENDER),
        AccountRef::NoAddress => key.push(CELLS_OF_NO_ADDRESS),
    }
    key.extend_from_slice(&incarnation.to_be_bytes());
    key
}

/// Key of a cell.
pub(crate) fn cell_key(account: &AccountRef, incarnation: u32, slot: &U256) -> RowKey {
    let mut key = cells_prefix(account, incarnation);
    push_slot(&mut key, slot);
    key
}

/// Adds the number of a cell to a key: length and bytes without zeros in front.
pub(crate) fn push_slot<const N: usize>(key: &mut SmallVec<[u8; N]>, slot: &U256)
where
    [u8; N]: smallvec::Array<Item = u8>,
{
    let word = B256::from(*slot);
    let zeros = word.iter().take_while(|&&byte| byte == 0).count();
    key.push((word.len() - zeros) as u8);
    key.extend_from_slice(&word[zeros..]);
}

/// Account of an account's key; None for any other key.
pub(crate) fn account_of_row(key: &[u8]) -> Option<AccountRef> {
    let (&ACCOUNTS, identity) = key.split_first()? else { return None };
    Some(match identity {
        [] => AccountRef::NoAddress,
        [0] => AccountRef::RemascSender,
        address => AccountRef::Address(address.try_into().ok()?),
    })
}

/// Account and incarnation of a cell's key; None for any other key.
pub(crate) fn owner_of_cell(key: &[u8]) -> Option<(AccountRef, u32)> {
    let (account, rest) = match key.split_first()? {
        (&CELLS, rest) => {
            let (address, rest) = rest.split_at_checked(20)?;
            (AccountRef::Address(address.try_into().ok()?), rest)
        }
        (&CELLS_OF_REMASC_SENDER, rest) => (AccountRef::RemascSender, rest),
        (&CELLS_OF_NO_ADDRESS, rest) => (AccountRef::NoAddress, rest),
        _ => return None,
    };
    let (incarnation, rest) = rest.split_at_checked(4)?;
    let (&length, slot) = rest.split_first()?;
    (usize::from(length) == slot.len() && slot.len() <= 32)
        .then_some((account, u32::from_be_bytes(incarnation.try_into().ok()?)))
}

/// Value of the row of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccountRow<'a> {
    /// Incarnation of its own cells: those of earlier ones are dead.
    pub(crate) incarnation: u32,
    /// The trie's value of the account.
    pub(crate) account: Option<&'a [u8]>,
    /// Hash and length of its code.
    pub(crate) code: Option<(B256, u32)>,
    /// True when it has the contract marker.
    pub(crate) marker: bool,
}

impl<'a> AccountRow<'a> {
    /// True when the row says nothing that its absence does not say.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// No bytes for a row that says nothing.
    pub(crate) fn encode(&self) -> SmallVec<[u8; 128]> {
        let mut row = SmallVec::new();
        if self.is_default() {
            return row;
        }
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        row.push(
            flag(self.account.is_some(), HAS_ACCOUNT)
                | flag(self.code.is_some(), HAS_CODE)
                | flag(self.marker, HAS_MARKER)
                | flag(self.incarnation != 0, HAS_INCARNATION),
        );
        if self.incarnation != 0 {
            row.extend_from_slice(&self.incarnation.to_be_bytes());
        }
        if let Some((hash, length)) = self.code {
            row.extend_from_slice(hash.as_slice());
            row.extend_from_slice(&length.to_be_bytes());
        }
        row.extend_from_slice(self.account.unwrap_or_default());
        row
    }

    /// None for bytes that are no value of a row.
    pub(crate) fn decode(row: &'a [u8]) -> Option<Self> {
        if row.is_empty() {
            return Some(Self::default());
        }
        let (&flags, mut rest) = row.split_first()?;
        let incarnation = if flags & HAS_INCARNATION == 0 { 0 } else { number(&mut rest)? };
        let code = if flags & HAS_CODE == 0 { None } else { Some(hash_and_length(&mut rest)?) };
        let has_account = flags & HAS_ACCOUNT != 0;
        (has_account || rest.is_empty()).then_some(Self {
            incarnation,
            account: has_account.then_some(rest),
            code,
            marker: flags & HAS_MARKER != 0,
        })
    }
}

pub(crate) fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_at_checked(4)?;
    *rest = after;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

fn hash_and_length(rest: &mut &[u8]) -> Option<(B256, u32)> {
    let (hash, after) = rest.split_at_checked(32)?;
    *rest = after;
    Some((B256::from_slice(hash), number(rest)?))
}

/// Hash and length of a code. None for other bytes.
pub(crate) fn code_of(mut bytes: &[u8]) -> Option<(B256, u32)> {
    let code = hash_and_length(&mut bytes)?;
    bytes.is_empty().then_some(code)
}

/// Value of the row of a cell.
pub(crate) fn encode_cell(value: &CellValue) -> SmallVec<[u8; 192]> {
    let mut row = SmallVec::new();
    match value {
        CellValue::Here(bytes) => {
            row.push(HERE);
            row.extend_from_slice(bytes);
        }
        CellValue::Apart(hash, length) => {
            row.push(APART);
            row.extend_from_slice(hash.as_slice());
            row.extend_from_slice(&length.to_be_bytes());
        }
    }
    row
}

/// None for bytes that are no value of a row, and for no bytes.
pub(crate) fn decode_cell(row: &[u8]) -> Option<CellValue> {
    match row.split_first()? {
        (&HERE, bytes) if !bytes.is_empty() => Some(CellValue::Here(Bytes::copy_from_slice(bytes))),
        (&APART, mut rest) => {
            let (hash, length) = hash_and_length(&mut rest)?;
            rest.is_empty().then_some(CellValue::Apart(hash, length))
        }
        _ => None,
    }
}
