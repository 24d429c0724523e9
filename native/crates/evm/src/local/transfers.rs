//! Payments between accounts while a transaction runs, in the order of its logs (`traceTransfers` of eth_simulateV1).

use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use crate::journal::{Journal, Transfer};
use crate::trace::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector};
use crate::transaction::{Transaction, TransactionOutcome};

/// A payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTransfer {
    /// Logs of the transaction that come before it.
    pub logs_before: usize,
    /// Payer.
    pub from: Address,
    /// Receiver.
    pub to: Address,
    /// Wei, more than zero.
    pub value: U256,
}

/// Records payments and drops those of frames that are undone.
#[derive(Default)]
pub(super) struct TransferRecorder {
    transfers: Vec<ValueTransfer>,
    /// For each running frame, the number of payments before it.
    marks: Vec<usize>,
    /// Payments whose position among the logs is known at the next hook that gets the journal.
    pending: Vec<(Address, Address, U256)>,
}

impl TransferRecorder {
    /// The payments of a transaction that ended.
    pub(super) fn finish(mut self, transaction: &Transaction, outcome: &TransactionOutcome) -> Vec<ValueTransfer> {
        if outcome.failure.is_some() {
            return Vec::new();
        }
        // A creation without initcode runs no frame.
        if transaction.to.is_none()
            && transaction.data.is_empty()
            && let Some(created) = outcome.contract_address
        {
            self.record(0, transaction.sender.address(), created, transaction.value);
        }
        self.transfers
    }

    fn record(&mut self, logs_before: usize, from: Address, to: Address, value: U256) {
        if !value.is_zero() {
            self.transfers.push(ValueTransfer { logs_before, from, to, value });
        }
    }

    fn record_pending(&mut self, journal: &Journal) {
        for (from, to, value) in std::mem::take(&mut self.pending) {
            self.record(journal.log_count(), from, to, value);
        }
    }
}

impl Inspector for TransferRecorder {
    const STEPS: bool = false;
    const FRAMES: bool = true;

    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        self.marks.push(self.transfers.len());
        // DELEGATECALL shows the value of the frame that it runs in.
        if entry.kind != FrameKind::DelegateCall {
            self.record(journal.log_count(), entry.from, entry.to, entry.value);
        }
        Ok(())
    }

    fn exit(&mut self, exit: &FrameExit, journal: &mut Journal) -> Result<(), StateError> {
        self.record_pending(journal);
        let mark = self.marks.pop().unwrap_or_default();
        if exit.status != FrameStatus::Success {
            self.transfers.truncate(mark);
        }
        Ok(())
    }

    fn selfdestruct(&mut self, account: Address, beneficiary: Address, balance: U256) {
        self.pending.push((account, beneficiary, balance));
    }

    fn transfer(&mut self, transfer: &Transfer) {
        self.pending.push((transfer.from, transfer.to, transfer.amount));
    }
}
