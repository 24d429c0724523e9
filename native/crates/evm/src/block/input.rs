//! What a block is executed with.

use rhizome_primitives::interrupt::Interrupt;

use crate::frames::Evm;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::transaction::Transaction;

/// A block to execute.
#[derive(Clone)]
pub struct BlockInput<'a> {
    /// Network, block and its ancestors.
    pub context: BlockContext,
    /// Transactions in order. When the last one is not the REMASC transaction, as in recorded
    /// chains of the reference's tests, postponed fees are paid after it.
    pub transactions: &'a [Transaction],
    /// Sublist edges of the header, exclusive ends (RSKIP144); None or empty: all sequential.
    pub edges: Option<&'a [u16]>,
    /// Stops the execution soon after it is raised.
    pub interrupt: Option<Interrupt>,
    /// Runs parallel sublists one after the other on this thread, with the same result. See [`worth_threads`].
    pub one_thread: bool,
    /// Lets parallel sublists call the Bridge and REMASC: a setting of the reference's own tests, never
    /// of a network.
    pub system_contracts_in_parallel: bool,
}

impl BlockInput<'_> {
    /// The EVM that runs transactions of the block on a journal.
    pub(super) fn engine(&self, journal: Journal) -> Evm {
        let mut evm = Evm::new(self.context.clone(), journal);
        if let Some(flag) = &self.interrupt {
            evm.set_interrupt(flag.clone());
        }
        evm
    }
}
