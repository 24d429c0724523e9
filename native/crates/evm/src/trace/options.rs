//! Options of traces.

use thiserror::Error;

use crate::block::BlockError;
use crate::error::TransactionError;
use rhizome_primitives::B256;
use rhizome_primitives::interrupt::Interrupt;

/// Form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracer {
    /// Every instruction, in the reference's form (evm.md §6.1).
    StructLogs {
        /// Leaves memory out.
        disable_memory: bool,
        /// Leaves the stack out.
        disable_stack: bool,
        /// Leaves storage out of the instructions.
        disable_storage: bool,
    },
    /// Every instruction, in geth's form.
    GethLogs {
        /// With memory.
        memory: bool,
        /// With the cells that the contract touched.
        stack: bool,
        /// With the cells that were touched.
        storage: bool,
        /// With the data that the last call returned.
        return_data: bool,
        /// Maximum number of entries; 0 for all.
        limit: u32,
    },
    /// Nested calls (evm.md §6.2).
    Calls {
        /// The outermost call alone.
        only_top_call: bool,
        /// With the logs of each call.
        with_log: bool,
    },
    /// Flat list of calls (evm.md §6.3).
    Flat,
    /// State that the transaction touched, before it ran.
    Prestate {
        /// Only what changed, before and after.
        diff: bool,
    },
    /// Counts of the function selectors called.
    FourByte,
}

/// Options of a trace.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Form.
    pub tracer: Tracer,
    /// Maximum bytes of JSON of all transactions together.
    pub max_bytes: usize,
    /// Struct logs show a contract's whole storage up to this number of cells.
    pub max_initial_cells: usize,
    /// Stops the execution soon after it is raised.
    pub interrupt: Option<Interrupt>,
}

/// The block of traced transactions, for traces that name it.
#[derive(Clone, Copy, Debug)]
pub struct BlockId {
    /// Block hash.
    pub hash: B256,
    /// Height.
    pub number: u64,
}

/// The trace of a transaction.
#[derive(Clone, Debug)]
pub struct TransactionTrace {
    /// Index in the block.
    pub index: usize,
    /// JSON: one value, or one per element of a flat trace.
    pub texts: Vec<String>,
}

/// Reason why there is no trace.
#[derive(Clone, Debug, Error)]
pub enum TraceError {
    /// The block is invalid, or could not be executed.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// The transaction is invalid, or could not be executed.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// The JSON exceeds [`TraceOptions::max_bytes`].
    #[error("the trace exceeds {0} bytes")]
    TooLarge(usize),
}
