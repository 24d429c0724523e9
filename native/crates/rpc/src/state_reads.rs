//! Reads of accounts, code and cells.

use std::sync::Arc;

use rhizome_answers::{BlockNames, Output};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, B256, U256, hex};
use rhizome_store::StateStore;

use crate::account_memo::AccountMemo;
use crate::plain_params::PlainReader;

/// The newest block, which is also that of a request that names none.
pub(crate) const LATEST: &[u8] = b"latest";

/// Items that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Balance of an account: address, and the block or nothing.
    Balance,
    /// Nonce of an account: address, and the block or nothing.
    TransactionCount,
    /// Code of an account: address, block.
    Code,
    /// Balance, nonce and code of an account: address, and the block or nothing.
    AccountInfo,
    /// A cell as a word: address, slot, block.
    Cell,
    /// A cell as it is stored, `0x0` where there is none: address, slot, block.
    CellBytes,
}

/// Answers reads of the state without waiting for the disk, so that the thread that has the sockets can ask.
pub struct StateReads {
    store: Arc<StateStore>,
    accounts: AccountMemo,
}

impl StateReads {
    /// Reads of the states of a store.
    pub fn new(store: Arc<StateStore>) -> Self {
        Self { store, accounts: AccountMemo::new() }
    }

    /// Answers one request: the length of the answer; none for what is not ordinary, not in memory as a whole, does not
    /// fit, or is wrong. `id` is JSON text, `params` that of an array.
    pub fn answer(
        &mut self,
        read: Read,
        names: &mut BlockNames,
        id: &[u8],
        params: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        let params = PlainReader::new(params).params()?;
        let (account, slot, block) = match (read, params.texts()) {
            (Read::Balance | Read::TransactionCount | Read::AccountInfo, &[account]) => (account, None, LATEST),
            (Read::Balance | Read::TransactionCount | Read::Code | Read::AccountInfo, &[account, block]) => {
                (account, None, block)
            }
            (Read::Cell | Read::CellBytes, &[account, slot, block]) => (account, Some(slot), block),
            _ => return None,
        };
        let address = parse_address(account)?;
        let slot = slot.map_or(Some(U256::ZERO), parse_slot)?;
        let root = names.get(block)?.root?;
        let mut output = Output::new(out);
        output.put_head(id)?;
        output.put_result()?;
        if read == Read::AccountInfo {
            self.put_account_info(root, address, &mut output)?;
        } else {
            output.put(b"\"")?;
            self.put_value(root, read, address, &slot, &mut output)?;
            output.put(b"\"")?;
        }
        output.put(b"}")?;
        Some(output.length())
    }

    /// None as for [`Self::put_value`].
    fn put_account_info(&mut self, root: B256, address: Address, output: &mut Output<'_>) -> Option<()> {
        let members = [
            (r#"{"balance":""#, Read::Balance),
            (r#"","nonce":""#, Read::TransactionCount),
            (r#"","code":""#, Read::Code),
        ];
        for (before, read) in members {
            output.put(before.as_bytes())?;
            self.put_value(root, read, address, &U256::ZERO, output)?;
        }
        output.put(br#""}"#)
    }

    /// None when it is not in memory, cannot be read, or is nothing that an ordinary state has.
    fn put_value(
        &mut self,
        root: B256,
        read: Read,
        address: Address,
        slot: &U256,
        output: &mut Output<'_>,
    ) -> Option<()> {
        let state = || self.store.memory_reader(root);
        match read {
            Read::Balance => output.put_quantity(self.account(root, address)?.balance.shown()),
            Read::TransactionCount => output.put_quantity(self.account(root, address)?.nonce),
            Read::Code => output.put_data(&state().code(&address.into()).ok()?),
            Read::Cell => output.put_word(&state().storage(&address.into(), slot).ok()?.unwrap_or_default()),
            Read::CellBytes => match state().storage(&address.into(), slot).ok()? {
                Some(bytes) if !bytes.is_empty() => output.put_data(&bytes),
                _ => output.put(b"0x0"),
            },
            // It has three values.
            Read::AccountInfo => None,
        }
    }

    fn account(&mut self, root: B256, address: Address) -> Option<Account> {
        if let Some(account) = self.accounts.find(&root, &address) {
            return Some(*account);
        }
        let account = self.store.memory_reader(root).account(&AccountRef::from(address)).ok()?.unwrap_or_default();
        self.accounts.keep(root, address, account);
        Some(account)
    }
}

fn parse_address(text: &[u8]) -> Option<Address> {
    let digits = text.strip_prefix(b"0x").filter(|digits| digits.len() == 40)?;
    let mut address = Address::ZERO;
    hex::decode_to_slice(digits, address.as_mut_slice()).ok()?;
    Some(address)
}

/// `0x` and 1 to 64 digits.
fn parse_slot(text: &[u8]) -> Option<U256> {
    let digits = text.strip_prefix(b"0x")?;
    if !(1..=64).contains(&digits.len()) {
        return None;
    }
    let mut padded = [b'0'; 64];
    padded[64 - digits.len()..].copy_from_slice(digits);
    let mut word = B256::ZERO;
    hex::decode_to_slice(padded, word.as_mut_slice()).ok()?;
    Some(word.into())
}
