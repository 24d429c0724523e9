//! Accounts that were read lately, by the root of their state.

use rhizome_primitives::account::Account;
use rhizome_primitives::{Address, B256};

/// Accounts that are kept; a power of two. They take half a megabyte.
const ENTRIES: usize = 4096;

/// Spreads bits over a word (Knuth's multiplicative hashing).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Copy)]
struct Entry {
    root: B256,
    address: Address,
    account: Account,
}

/// Accounts by root and address. A root names what is under it, so that nothing that is kept is ever wrong: neither a
/// new head nor an edited state ends it. A read of the line of earlier states takes a transaction and some look-ups in
/// B+ trees, one of the newest state two locks; this is one comparison. Each account has one slot, in which the last
/// one that was read stays.
pub(crate) struct AccountMemo {
    entries: Box<[Option<Entry>]>,
}

impl AccountMemo {
    pub(crate) fn new() -> Self {
        Self { entries: vec![None; ENTRIES].into_boxed_slice() }
    }

    /// An account; what there is of one that does not exist is nothing.
    pub(crate) fn find(&self, root: &B256, address: &Address) -> Option<&Account> {
        let entry = self.entries[slot_of(root, address)].as_ref()?;
        (entry.address == *address && entry.root == *root).then_some(&entry.account)
    }

    /// Keeps an account.
    pub(crate) fn keep(&mut self, root: B256, address: Address, account: Account) {
        self.entries[slot_of(&root, &address)] = Some(Entry { root, address, account });
    }
}

fn slot_of(root: &B256, address: &Address) -> usize {
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mixed = (word(&root[..8]) ^ word(&address[12..]) ^ word(&address[..8]).rotate_left(32)).wrapping_mul(SPREAD);
    (mixed >> (u64::BITS - ENTRIES.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::U256;

    use super::*;

    fn with_nonce(nonce: u64) -> Account {
        Account { nonce: U256::from(nonce), ..Account::default() }
    }

    #[test]
    fn an_account_is_found_under_its_own_root_alone() {
        let mut memo = AccountMemo::new();
        let (one, other) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let address = Address::with_last_byte(7);
        assert_eq!(memo.find(&one, &address), None);
        memo.keep(one, address, with_nonce(1));
        memo.keep(other, address, with_nonce(2));
        assert_eq!(memo.find(&one, &address), Some(&with_nonce(1)));
        assert_eq!(memo.find(&other, &address), Some(&with_nonce(2)));
        assert_eq!(memo.find(&one, &Address::with_last_byte(8)), None);
    }

    #[test]
    fn an_account_with_the_same_slot_replaces_it() {
        let mut memo = AccountMemo::new();
        let root = B256::repeat_byte(3);
        let addresses: Vec<Address> =
            (0..3 * ENTRIES as u64).map(|n| Address::from_word(U256::from(n).into())).collect();
        for (nonce, address) in addresses.iter().enumerate() {
            memo.keep(root, *address, with_nonce(nonce as u64));
            assert_eq!(memo.find(&root, address), Some(&with_nonce(nonce as u64)));
        }
        let kept = addresses.iter().enumerate().filter(|(nonce, address)| {
            memo.find(&root, address).is_some_and(|account| {
                assert_eq!(account, &with_nonce(*nonce as u64));
                true
            })
        });
        // Most slots are in use.
        assert!((ENTRIES / 2..=ENTRIES).contains(&kept.count()));
    }
}
