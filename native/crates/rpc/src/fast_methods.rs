//! What the fast path answers by itself. A method joins it here, and by its field `fast` in `src/rpc`.

use rhizome_answers::Subject;

use crate::fast_calls::CallKind;
use crate::state_reads::Read;

/// Gives the list of what the fast path answers to a macro, which makes an enum of it.
#[macro_export]
macro_rules! fast_methods {
    ($define:ident) => {
        $define! {
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
            /// The receipt of a transaction: its hash.
            Receipt,
            /// A mined transaction: its hash.
            Transaction,
            /// A block: its number or tag, and whether with full transactions.
            Block,
            /// A block: its hash, and whether with full transactions.
            BlockByHash,
            /// Output of a call: the call, and the block.
            Call,
            /// Gas that a call needs as a transaction: the call, and the block or nothing.
            Estimate,
        }
    };
}

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Request that a method makes of the fast path, with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FastMethod { $($(#[$doc])* $name,)* }
    };
}

fast_methods!(define);

/// By what a method is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    State(Read),
    Object(Subject),
    Call(CallKind),
}

impl FastMethod {
    pub(crate) fn work(self) -> Work {
        match self {
            Self::Balance => Work::State(Read::Balance),
            Self::TransactionCount => Work::State(Read::TransactionCount),
            Self::Code => Work::State(Read::Code),
            Self::AccountInfo => Work::State(Read::AccountInfo),
            Self::Cell => Work::State(Read::Cell),
            Self::CellBytes => Work::State(Read::CellBytes),
            Self::Receipt => Work::Object(Subject::Receipt),
            Self::Transaction => Work::Object(Subject::Transaction),
            Self::Block => Work::Object(Subject::Block),
            Self::BlockByHash => Work::Object(Subject::BlockByHash),
            Self::Call => Work::Call(CallKind::Output),
            Self::Estimate => Work::Call(CallKind::Estimate),
        }
    }
}
