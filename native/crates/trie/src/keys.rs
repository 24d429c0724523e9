//! Trie keys of state items (consensus.md §6.4).

use std::sync::LazyLock;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::{Address, B256, U256};
use smallvec::SmallVec;

use crate::keccak256;

/// A trie key; the longest (a storage cell with no leading zero) has 74 bytes.
pub type Key = SmallVec<[u8; 74]>;

/// Bytes of a Keccak-256 hash that lead a key, so that keys spread evenly.
pub const HASH_PREFIX: usize = 10;

/// Length of an account key: domain byte, hash prefix, address.
pub const ACCOUNT_KEY: usize = 1 + HASH_PREFIX + 20;

const DOMAIN: u8 = 0x00;
/// Domain of masks, which only states of forks have: what the key with [`DOMAIN`] in its place stands for was removed
/// there, so that what the upstream has of it does not count.
const MASK_DOMAIN: u8 = 0x01;
const STORAGE: u8 = 0x00;
const CODE: u8 = 0x80;

/// Value of the contract marker.
pub const MARKER: [u8; 1] = [1];

/// Key of an account.
pub fn account_key(account: &AccountRef) -> Key {
    let identity = account.as_bytes();
    let mut key = Key::new();
    key.push(DOMAIN);
    key.extend_from_slice(&keccak256(identity)[..HASH_PREFIX]);
    key.extend_from_slice(identity);
    key
}

/// Key of an account's code.
pub fn code_key(account: &AccountRef) -> Key {
    let mut key = account_key(account);
    key.push(CODE);
    key
}

/// Key of the contract marker, which is also the prefix of all storage cells.
pub fn storage_prefix_key(account: &AccountRef) -> Key {
    let mut key = account_key(account);
    key.push(STORAGE);
    key
}

/// Key of a storage cell.
pub fn storage_key(account: &AccountRef, slot: &U256) -> Key {
    let mut key = storage_prefix_key(account);
    let word = B256::from(*slot);
    key.extend_from_slice(&keccak256(word.as_slice())[..HASH_PREFIX]);
    let zeros = word.iter().take_while(|&&byte| byte == 0).count().min(31);
    key.extend_from_slice(&word[zeros..]);
    key
}

/// Key of the mask of another key.
#[must_use]
pub fn mask_key(mut key: Key) -> Key {
    if let Some(domain) = key.first_mut() {
        *domain = MASK_DOMAIN;
    }
    key
}

/// Item that a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An account.
    Account,
    /// Its code.
    Code,
    /// Its contract marker.
    Marker,
    /// One of its cells.
    Cell(U256),
}

/// Hash prefixes of the two accounts without an address, whose keys are shorter.
static WITHOUT_ADDRESS: LazyLock<[(AccountRef, B256); 2]> = LazyLock::new(|| {
    [AccountRef::RemascSender, AccountRef::NoAddress].map(|account| (account, keccak256(account.as_bytes())))
});

/// The account and the item of a key; None for one that no state has. Hash prefixes are not checked.
pub fn item_of(key: &[u8]) -> Option<(AccountRef, Item)> {
    let (prefix, rest) = key.strip_prefix(&[DOMAIN])?.split_at_checked(HASH_PREFIX)?;
    let short = WITHOUT_ADDRESS.iter().find(|(_, hash)| hash[..HASH_PREFIX] == *prefix);
    let (account, rest) = match short {
        Some((account, _)) => (*account, rest.strip_prefix(account.as_bytes())?),
        None => {
            let (address, rest) = rest.split_at_checked(Address::len_bytes())?;
            (AccountRef::Address(Address::from_slice(address)), rest)
        }
    };
    let item = match rest {
        [] => Item::Account,
        [CODE] => Item::Code,
        [STORAGE] => Item::Marker,
        [STORAGE, cell @ ..] => {
            let slot = cell.get(HASH_PREFIX..).filter(|slot| (1..=32).contains(&slot.len()))?;
            Item::Cell(U256::from_be_slice(slot))
        }
        _ => return None,
    };
    Some((account, item))
}
