//! `prestateTracer`: the state that a transaction touched, before it and with `diffMode` also after it, as in geth's
//! tracer. REMASC, which receives the fees, takes the role of geth's miner.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use revm_bytecode::opcode::{
    BALANCE, CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, EXTCODECOPY, EXTCODEHASH, EXTCODESIZE, SELFDESTRUCT, SLOAD,
    SSTORE, STATICCALL,
};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::options::TraceError;
use super::prestate_accounts::{AccountChange, AccountState, Accounts};
use super::prestate_json::write_accounts;
use super::traced::{Traced, Tracing};
use super::{FrameEntry, FrameExit, Inspector, StepView, Target};
use crate::journal::{Change, Journal};
use crate::trace::json::JsonWriter;
use crate::transaction::{REMASC_ADDRESS, Transaction};

/// Collects accounts and cells at their first touch, when they are still unchanged.
pub(crate) struct PrestateTracer {
    diff: bool,
    before: Accounts,
    /// Created in the transaction.
    created: Vec<Address>,
    /// For each running precompiled contract, the number of changes before it.
    marks: Vec<Option<usize>>,
    /// Bytes of JSON so far.
    bytes: usize,
    max_bytes: usize,
}

/// Approximate bytes of JSON of an account without its code, and of a cell.
const ITEM_BYTES: usize = 128;

impl PrestateTracer {
    pub(crate) fn new(diff: bool, max_bytes: usize) -> Self {
        Self { diff, before: Accounts::new(), created: Vec::new(), marks: Vec::new(), bytes: 0, max_bytes }
    }

    fn touch(&mut self, address: Address, journal: &mut Journal) -> Result<&mut AccountState, StateError> {
        match self.before.entry(address) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) => {
                let account = read(address, journal)?;
                self.bytes += ITEM_BYTES + 2 * account.code.len();
                Ok(vacant.insert(account))
            }
        }
    }

    fn touch_cell(&mut self, address: Address, slot: U256, journal: &mut Journal) -> Result<(), StateError> {
        if let Entry::Vacant(vacant) = self.touch(address, journal)?.storage.entry(slot) {
            vacant.insert(journal.seen_cell(address.into(), slot)?.word().unwrap_or_default());
            self.bytes += ITEM_BYTES;
        }
        Ok(())
    }

    /// Drops accounts that creations made, or tried to make, unless they had a balance before: they did not exist.
    fn drop_created(&mut self) {
        for address in &self.created {
            if self.before.get(address).is_some_and(|account| account.balance.is_zero()) {
                self.before.remove(address);
            }
        }
    }

    /// The changes of a precompiled contract are only known after it ran; they include the values before.
    fn take_changes(&mut self, mark: usize, journal: &mut Journal) -> Result<(), StateError> {
        for change in journal.changes_since(mark) {
            match change {
                Change::Account(AccountRef::Address(address), before) => {
                    if let Entry::Vacant(vacant) = self.before.entry(address) {
                        vacant.insert(AccountState { code: journal.seen_code(address.into())?, ..of(before) });
                    }
                }
                Change::Cell(AccountRef::Address(address), slot, before) => {
                    let account = self.touch(address, journal)?;
                    account.storage.entry(slot).or_insert_with(|| before.word().unwrap_or_default());
                }
                // Accounts without an address have no name in a trace.
                Change::Account(..) | Change::Cell(..) => {}
            }
        }
        Ok(())
    }
}

/// The current account.
pub(crate) fn read(address: Address, journal: &mut Journal) -> Result<AccountState, StateError> {
    let id = address.into();
    let account = journal.seen_account(id)?;
    Ok(AccountState { code: journal.seen_code(id)?, ..of(account) })
}

fn of(account: Option<Account>) -> AccountState {
    let exists = account.is_some();
    let Account { balance, nonce, .. } = account.unwrap_or_default();
    AccountState { exists, balance: balance.shown(), nonce, ..AccountState::default() }
}

/// The stack word at a depth from the top, as an address.
fn address_at(view: &StepView<'_>, depth: usize) -> Option<Address> {
    let word = view.stack.get(view.stack.len().checked_sub(depth + 1)?)?;
    Some(Address::from_word((*word).into()))
}

impl Inspector for PrestateTracer {
    const STEPS: bool = true;
    const FRAMES: bool = true;

    fn is_full(&self) -> bool {
        self.bytes > self.max_bytes
    }

    fn step(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        let touched = match view.opcode {
            SLOAD | SSTORE => {
                if let Some(slot) = view.stack.last() {
                    self.touch_cell(view.address, *slot, journal)?;
                }
                None
            }
            BALANCE | EXTCODECOPY | EXTCODEHASH | EXTCODESIZE | SELFDESTRUCT => address_at(view, 0),
            CALL | CALLCODE | DELEGATECALL | STATICCALL => address_at(view, 1),
            _ => None,
        };
        if let Some(address) = touched {
            self.touch(address, journal)?;
        }
        if matches!(view.opcode, CREATE | CREATE2 | SELFDESTRUCT) {
            self.touch(view.address, journal)?;
        }
        Ok(())
    }

    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        if entry.kind.is_create() {
            self.created.push(entry.to);
            // The account was just created; before, it can only have had the balance without the value sent.
            if let Entry::Vacant(vacant) = self.before.entry(entry.to) {
                let now = read(entry.to, journal)?;
                let balance = now.balance.wrapping_sub(entry.value);
                vacant.insert(AccountState { balance, ..AccountState::default() });
            }
        }
        let precompile = entry.target == Target::Precompile;
        self.marks.push(precompile.then(|| journal.change_count()));
        Ok(())
    }

    fn exit(&mut self, _exit: &FrameExit, journal: &mut Journal) -> Result<(), StateError> {
        match self.marks.pop() {
            Some(Some(mark)) => self.take_changes(mark, journal),
            _ => Ok(()),
        }
    }
}

impl Tracing for PrestateTracer {
    fn start(&mut self, transaction: &Transaction, journal: &mut Journal) -> Result<(), StateError> {
        self.touch(transaction.sender.address(), journal)?;
        if let Some(to) = transaction.to {
            self.touch(to, journal)?;
        }
        self.touch(REMASC_ADDRESS, journal)?;
        Ok(())
    }

    fn finish(
        mut self,
        traced: &Traced<'_>,
        journal: &mut Journal,
        max_bytes: usize,
    ) -> Result<Vec<String>, TraceError> {
        let mut json = JsonWriter::default();
        if self.diff {
            let after =
                changes(&mut self.before, &traced.outcome.deleted, journal).map_err(crate::block::BlockError::from)?;
            self.drop_created();
            json.raw("{\"post\":");
            write_accounts(&mut json, &after);
            json.raw(",\"pre\":");
            write_accounts(&mut json, &self.before);
            json.raw("}");
        } else {
            self.drop_created();
            write_accounts(&mut json, &self.before);
        }
        if json.len() > max_bytes {
            return Err(TraceError::TooLarge(max_bytes));
        }
        Ok(vec![json.into_string()])
    }
}

/// Removes unchanged fields from `before` and returns the new values of the others.
fn changes(
    before: &mut Accounts,
    deleted: &[Address],
    journal: &mut Journal,
) -> Result<BTreeMap<Address, AccountChange>, StateError> {
    let mut after = BTreeMap::new();
    for (address, old) in std::mem::take(before) {
        let mut kept = AccountState { storage: BTreeMap::new(), ..old.clone() };
        if deleted.contains(&address) {
            kept.storage = old.storage.into_iter().filter(|(_, word)| !word.is_zero()).collect();
            before.insert(address, kept);
            continue;
        }
        let new = read(address, journal)?;
        let mut change = AccountChange {
            balance: (new.balance != old.balance).then_some(new.balance),
            nonce: (new.nonce != old.nonce).then_some(new.nonce),
            code: (new.code != old.code).then_some(new.code),
            storage: BTreeMap::new(),
        };
        let mut changed = change.balance.is_some() || change.nonce.is_some() || change.code.is_some();
        changed |= new.exists != old.exists;
        for (slot, word) in old.storage {
            let now = journal.seen_cell(address.into(), slot)?.word().unwrap_or_default();
            if now == word {
                continue;
            }
            changed = true;
            if !word.is_zero() {
                kept.storage.insert(slot, word);
            }
            if !now.is_zero() {
                change.storage.insert(slot, now);
            }
        }
        if changed {
            after.insert(address, change);
            before.insert(address, kept);
        }
    }
    Ok(after)
}
